"""``evalgauge gate``, ``gate --check`` and ``gate --init``."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, fields
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.errors import ArgumentError
from evalgauge.questions.gate import GateOptions, GateRequest
from evalgauge.questions.gate_check import CheckOptions, GateCheckRequest

if TYPE_CHECKING:
    from evalgauge.questions.gate import GateAnswer
    from evalgauge.questions.gate_check import GateCheckAnswer

EXIT_CODES = {"pass": 0, "fail": 1, "inconclusive": 3}
EXIT_BLIND = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class GateModes:
    """What else a gate does than judge.

    Attributes
    ----------
    check
        Say before a run whether each rule can pass and fail at all, and what it can see.
    init
        Write a commented evalgauge.toml to start from; one that is there is never touched.
    """

    check: bool = False
    init: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFiles:
    """Where else the verdict goes.

    Attributes
    ----------
    junit
        Write JUnit XML here: one test per rule.
    summary
        Write Markdown here; to the file of $GITHUB_STEP_SUMMARY it is added.
    comment
        Write the Markdown of a pull-request comment here, with the mark by which the next run finds it.
    metrics
        Write flat numbers here as JSON, under names of MLflow, OpenTelemetry and Every Eval Ever.
    """

    junit: str | None = None
    summary: str | None = None
    comment: str | None = None
    metrics: str | None = None


DEFAULTS, MODES, FILES, OUTPUT = CheckOptions(), GateModes(), GateFiles(), OutputOptions()
_FILES = tuple(field.name for field in fields(GateFiles))
_PLANNED = ("cases", "reps", "rate", "discordance")


def gate(
    *logs: str,
    options: Annotated[CheckOptions, Parameter(name="*")] = DEFAULTS,
    modes: Annotated[GateModes, Parameter(name="*")] = MODES,
    files: Annotated[GateFiles, Parameter(name="*")] = FILES,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say whether the candidate may ship. Exits 0 for pass, 1 for fail, 3 where the data cannot decide.

    Parameters
    ----------
    logs
        Baseline, then candidate: logs, tables or folders. The candidate alone where no rule speaks of a change.
    """
    if modes.init:
        _refuse_beside_init(logs, options, modes, files, output)
        return _init(options)
    if modes.check:
        for name in _FILES:
            if (path := getattr(files, name)) is not None:
                raise ArgumentError(f"--{name}", path, "left out with --check, which gives no verdict to write")
        return _check(options, logs, output)
    for name in _PLANNED:
        if (value := getattr(options, name)) is not None:
            raise ArgumentError(name, value, "given with --check")
    rules = GateOptions(**{field.name: getattr(options, field.name) for field in fields(GateOptions)})
    request = request_of(GateRequest, rules, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.gate import gate_answer  # noqa: PLC0415 - numbers are loaded when there is work

    answer = gate_answer(request)
    _write(answer, files)
    show((answer,), output)
    return EXIT_CODES[answer.outcome]


def _write(answer: GateAnswer, files: GateFiles) -> None:
    from evalgauge.report.files import put_text  # noqa: PLC0415 - loaded when there is work

    renderers = {
        "junit": ("evalgauge.report.junit", "junit_text"),
        "summary": ("evalgauge.report.markdown", "summary_text"),
        "comment": ("evalgauge.report.markdown", "comment_text"),
        "metrics": ("evalgauge.report.metrics", "metrics_text"),
    }
    for name, (module, function) in renderers.items():
        path = getattr(files, name)
        if path is None:
            continue
        text: str = getattr(import_module(module), function)(answer)
        try:
            if name == "summary" and path == os.environ.get("GITHUB_STEP_SUMMARY"):
                with open(path, "a", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - a name as it came
                    file.write(text)
            else:
                put_text(path, text)
        except OSError as fault:
            raise ArgumentError(f"--{name}", path, f"a file that can be written ({fault.strerror})") from fault


def _check(options: CheckOptions, logs: tuple[str, ...], output: OutputOptions) -> int:
    request = request_of(GateCheckRequest, options, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.gate_check import check_answer  # noqa: PLC0415 - numbers are loaded when there is work

    answer = check_answer(request)
    show((answer,), output)
    return EXIT_BLIND if is_refused(answer) else 0


def is_refused(answer: GateCheckAnswer) -> bool:
    """Return whether a rule can never pass or never fail, and that was not allowed."""
    return answer.can_decide is False and not answer.request.allow_blind


def _refuse_beside_init(
    logs: tuple[str, ...], options: CheckOptions, modes: GateModes, files: GateFiles, output: OutputOptions
) -> None:
    """Refuse what would be lost beside --init, which takes no rules and judges nothing."""
    given = [f"--{name}" for name in _FILES if getattr(files, name) is not None]
    given += ["--check"] if modes.check else []
    given += [
        f"--{field.name.replace('_', '-')}"
        for field in fields(options)
        if field.name != "config" and getattr(options, field.name) != getattr(DEFAULTS, field.name)
    ]
    given += ["--json" for _ in (1,) if output.json] + [*logs]
    if given:
        hint = "Write the file, edit its rules, then judge."
        raise ArgumentError("--init", " ".join(given), "alone, or with --config FILE", hint)


def _init(options: GateOptions) -> int:
    from evalgauge.formats.gate_config import CONFIG_NAME, write_template  # noqa: PLC0415 - only this mode needs it

    written = write_template(options.config or CONFIG_NAME)
    named = "" if str(written) == CONFIG_NAME else f" --config {written}"
    sys.stdout.write(f"Wrote {written}: edit its rules, then\n  Next: evalgauge gate --check{named}\n")
    return 0
