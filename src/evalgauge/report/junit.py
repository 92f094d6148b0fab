"""The answer of a gate as JUnit XML: one test per rule, for every CI system that shows test results."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from evalgauge.report.text.gate import headline_text, promise_text, rule_title
from evalgauge.report.words import Scale

if TYPE_CHECKING:
    from evalgauge.questions.gate import GateAnswer, RuleVerdict

# What XML 1.0 cannot hold, however it is escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NUMBERS = ("threshold", "estimate", "low", "high", "confidence", "n_cases", "needs_cases", "needs_reps")


def junit_text(answer: GateAnswer) -> str:
    """Return the verdict of every rule as a JUnit document.

    A rule that fails is a failure. One that cannot be decided is an error, so that no reader takes it for a pass; with
    ``on_inconclusive`` it is a failure, or skipped where it counts as a pass. Numbers stand as properties, in shares
    and with all their digits.
    """
    counts = {kind: sum(_kind(answer, row) == kind for row in answer.rules) for kind in ("failure", "error", "skipped")}
    totals = {
        "tests": str(len(answer.rules)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
        "time": "0",
    }
    root = ET.Element("testsuites", {"name": "evalgauge", **totals})
    suite = ET.SubElement(root, "testsuite", {"name": "evalgauge gate", **totals})
    properties = ET.SubElement(suite, "properties")
    for name in ("verdict", "outcome", "confidence", "pass_error", "alarm_error", "missing", "pairing", "rules_from"):
        _property(properties, name, getattr(answer, name))
    for row in answer.rules:
        _test(suite, answer, row)
    ET.SubElement(suite, "system-out").text = _clean("\n".join((headline_text(answer), promise_text(answer))))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _kind(answer: GateAnswer, row: RuleVerdict) -> str:
    if row.verdict == "inconclusive":
        return {"fail": "failure", "pass": "skipped"}.get(answer.on_inconclusive, "error")
    return {"fail": "failure"}.get(row.verdict, "")


def _test(suite: ET.Element, answer: GateAnswer, row: RuleVerdict) -> None:
    name = _clean(rule_title(row, Scale(answer.range)))
    test = ET.SubElement(
        suite, "testcase", {"classname": _clean(f"evalgauge.gate.{row.metric}"), "name": name, "time": "0"}
    )
    properties = ET.SubElement(test, "properties")
    _property(properties, "verdict", row.verdict)
    for number in NUMBERS:
        _property(properties, number, getattr(row, number))
    said = _clean(f"{row.reason} To decide: {row.needs}." if row.needs else row.reason)
    kind = _kind(answer, row)
    if kind:
        shown = ET.SubElement(test, kind, {"type": row.verdict, "message": said})
        shown.text = _clean("\n".join((said, *row.cases)))
    else:
        ET.SubElement(test, "system-out").text = said


def _property(properties: ET.Element, name: str, value: object) -> None:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return
    text = repr(float(value)) if isinstance(value, float) else str(value)
    ET.SubElement(properties, "property", {"name": f"evalgauge.{name}", "value": _clean(text)})


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
