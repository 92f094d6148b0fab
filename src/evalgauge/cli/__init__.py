"""The command line: parse, ask a job, hand the answer to the report. No formula lives here."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130
# What a shell reports of a program that SIGPIPE ended: no exit code of a verdict, since nobody saw the verdict.
EXIT_PIPE_CLOSED = 141
TRACEBACK_VARIABLE = "EVALGAUGE_TRACEBACK"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments
        Words after the program's name; those of the process when left out.
    """
    from evalgauge.cli.app import run  # noqa: PLC0415 - the parser is loaded once the process knows it has work
    from evalgauge.cli.refusals import as_written  # noqa: PLC0415 - same
    from evalgauge.errors import EvalgaugeError  # noqa: PLC0415 - same

    _fill_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot write is shown with question marks; it is no reason to fail.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except EvalgaugeError as error:
        code = _refused(as_written(error))
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe went away (head, less): nothing is left to say.
        _silence_stdout()
        code = EXIT_PIPE_CLOSED
    except OSError as error:
        _silence_stdout()
        code = _refused(f"{error.filename or 'the output cannot be written'}: {error.strerror}.")
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        code = _refused(
            f"a fault of evalgauge itself: {type(error).__name__}: {error}. "
            f"Please report it, with the output of the same command under {TRACEBACK_VARIABLE}=1."
        )
    return code


def _refused(text: str) -> int:
    from evalgauge.report.visible import visible  # noqa: PLC0415 - only a refusal needs it

    # Where the errors are not read, the exit code still tells.
    with suppress(OSError, AttributeError):
        sys.stderr.write(f"evalgauge: {visible(text)}\n")
        sys.stderr.flush()
    return EXIT_REFUSED


def _fill_closed_streams() -> None:
    """Open nothing under the numbers of closed streams, before a log or table gets them and what is meant for them."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(number)


def _silence_stdout() -> None:
    """Point stdout at nothing, so that what is still buffered fails no second time when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
