"""Reports as files."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError, EvalgaugeError, MissingExtraError
from evalgauge.questions.report import ReportAnswer
from evalgauge.report.files import check_new, write_new

if TYPE_CHECKING:
    from os import PathLike

ENDINGS = (".html", ".md", ".pdf")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
# A page of our own, without a network: nothing of the browser's own errands either.
_FLAGS = (
    *("--headless", "--disable-gpu", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--no-pdf-header-footer"),
)
_SECONDS = 120


def save_report(answer: ReportAnswer, *, output: str | PathLike[str], overwrite: bool = False) -> Path:
    """Write a report as one file.

    Parameters
    ----------
    answer
        What ``make_report`` returned.
    output
        A name that ends in .html (self-contained), .md or .pdf (printed by Chromium or Chrome, where it is installed).
    overwrite
        Replace the file if it is there.

    Returns
    -------
    Path
        Where it is.

    Raises
    ------
    ArgumentError
        If the ending is another, the file is there, or nothing can be written in that place.
    MissingExtraError
        If what the ending needs is not installed.
    EvalgaugeError
        If the browser printed nothing.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.save_report(eg.make_report("base.eval", "candidate.eval"), output="report.html")  # doctest: +SKIP
    """
    given = type(answer)
    if given is not ReportAnswer:
        raise ArgumentError("answer", given.__name__, "the answer to eg.make_report(…)")
    target = place_of(output, overwrite=overwrite)
    ending = target.suffix.lower()
    if ending == ".md":
        from evalgauge.report.page.plain import report_markdown  # noqa: PLC0415 - one form is needed at a time

        return write_new(target, report_markdown(answer).encode(), overwrite=overwrite)
    from evalgauge.report.page.document import report_html  # noqa: PLC0415 - same

    page = report_html(answer, is_paper=ending == ".pdf").encode()
    return write_new(target, page if ending == ".html" else _printed(page), overwrite=overwrite)


def place_of(output: str | PathLike[str], *, overwrite: bool) -> Path:
    """Return where a report is to be written, or refuse it before any work is done.

    Raises
    ------
    ArgumentError
        If the ending is unknown, the file is there, or nothing can be written in that place.
    """
    try:
        target = Path(output)
    except TypeError as error:
        raise ArgumentError("output", type(output).__name__, "the name of a file") from error
    if target.suffix.lower() not in ENDINGS:
        raise ArgumentError("output", str(output), f"a file name that ends in {', '.join(ENDINGS)}")
    check_new(target, overwrite=overwrite)
    return target


def _printed(page: bytes) -> bytes:
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise MissingExtraError(
            "A PDF is printed by Chromium or Chrome, and neither is installed. Write -o report.html, open it and print "
            "it from there."
        )
    with tempfile.TemporaryDirectory() as folder:
        source, printed = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_bytes(page)
        words = [browser, *_FLAGS, f"--user-data-dir={folder}/browser", f"--print-to-pdf={printed}", source.as_uri()]
        try:
            subprocess.run(words, capture_output=True, check=True, timeout=_SECONDS)  # noqa: S603 - words of our own
            return printed.read_bytes()
        except (subprocess.SubprocessError, OSError) as error:
            raise EvalgaugeError(
                f"The browser ({browser}) printed no PDF. Write -o report.html, open it and print it from there."
            ) from error
