"""After each answer one command that is worth running next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.convert import ConvertAnswer
    from evalgauge.questions.measure import MeasureAnswer


def after_measure(answer: MeasureAnswer) -> str:
    """Return what to run after a score: its slices if there are fields to split by, else a comparison."""
    logs = answer.request.logs
    if not answer.source.files:
        counted = logs[0] if logs else f"{answer.request.passed}/{answer.request.of}"
        return f"evalgauge compare {counted} K/N --unpaired"
    return f"evalgauge compare {shlex.quote(logs[0])} CANDIDATE --margin 2pp"


def after_compare(answer: CompareAnswer) -> str:
    """Return what to run after a verdict: the claim with a margin, or the list of what changed."""
    request = answer.request
    words = ["evalgauge", "compare", *(shlex.quote(log) for log in request.logs)]
    if request.arms:
        words += ["--arms", shlex.quote(",".join(request.arms))]
    if request.of is not None:
        words += ["--wins", str(request.wins), "--losses", str(request.losses), "--of", str(request.of)]
    if request.unpaired:
        words.append("--unpaired")
    if request.margin is None:
        return " ".join([*words, "--margin", "2pp"])
    if not request.flips and answer.pairing.by not in {"counts", "none"}:
        return " ".join([*words, "--margin", f"{100 * request.margin:g}pp", "--flips"])
    return " ".join([*words, "--margin", f"{100 * request.margin:g}pp", "--json"])


def after_convert(answer: ConvertAnswer) -> str:
    """Return what to run after a conversion: the main job on the new file."""
    return f"evalgauge measure {shlex.quote(answer.output)}"
