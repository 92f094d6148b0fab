"""The command line: parse, ask a job, hand the answer to the report. No formula lives here."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130
TRACEBACK_VARIABLE = "EVALGAUGE_TRACEBACK"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments
        Words after the program's name; those of the process when left out.
    """
    from evalgauge.cli.app import run  # noqa: PLC0415 - the parser is loaded once the process knows it has work
    from evalgauge.errors import EvalgaugeError  # noqa: PLC0415 - same

    try:
        return run(list(sys.argv[1:] if arguments is None else arguments))
    except EvalgaugeError as error:
        print(f"evalgauge: {error}", file=sys.stderr)  # noqa: T201 - the text is the output
        return EXIT_REFUSED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe went away (head, less): point stdout at nothing so that the exit is quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        print(  # noqa: T201 - the text is the output
            f"evalgauge: a fault of evalgauge itself: {type(error).__name__}: {error}. "
            f"Please report it, with the output of the same command under {TRACEBACK_VARIABLE}=1.",
            file=sys.stderr,
        )
        return EXIT_REFUSED
