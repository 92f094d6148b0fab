"""Reads an Inspect log by inspect-ai's own reader, once per line of stdin, and prints the core-seconds of each reading.

Run by the Python that has inspect-ai, not by that of the project.
"""

from __future__ import annotations

import gc
import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Serve the benchmark until stdin ends."""
    # Not installed beside the project, so that no type checker of the project can know it.
    read_eval_log: Callable[[str], Any] = import_module("inspect_ai.log").read_eval_log
    for _ in sys.stdin:
        gc.collect()
        start = time.process_time()
        log = read_eval_log(sys.argv[1])
        used = time.process_time() - start
        scores = sum(len(sample.scores or ()) for sample in log.samples or ())
        print(used, scores, flush=True)


if __name__ == "__main__":
    main()
