"""What a page is: one question with a form, and the pictures that its answer has."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from evalgauge.report.charts.every import chart

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalgauge.questions.every import Answer
    from evalgauge.report.charts.chart import Chart


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart of a page.

    Attributes
    ----------
    kind
        Its kind.
    through
        What makes of an answer what is drawn; ``None`` where the answer is drawn itself.
    """

    kind: str
    through: Callable[[Any], Any] | None = None

    def of(self, answers: Sequence[Answer]) -> Chart:
        """Return the chart of what a job said."""
        drawn = answers if self.through is None else (self.through(answers[0]),)
        return chart(*drawn, kind=self.kind)


def along(curve: str) -> Callable[[Any], Any]:
    """Return what draws a plan or a reuse along a curve of ``jobs.curves``."""

    def through(answer: Any) -> Any:  # noqa: ANN401 - a plan, or an answer about reuse
        return getattr(import_module("evalgauge.jobs.curves"), curve)(answer)

    return through


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page.

    Attributes
    ----------
    name, title, asks
        Its address, its name, and the question that it answers, a sentence.
    request
        The question's type; its fields are the form.
    job
        Module of ``jobs`` and the function that answers.
    first
        Fields that are seen at once; the others are folded away.
    example
        Values to start from.
    pictures
        What is drawn.
    logs
        Names of the logs to choose, ``()`` where the question has none; each is one choice from the served folder.
    needs_logs
        Whether nothing can be said without them.
    many_logs
        Whether any number of logs may be chosen at once.
    about
        What it assumes, and where it comes from: sentences for the foot.
    several
        Whether the job returns one answer an arm.
    check
        What refuses a request that would keep the server busy for longer than a page takes, which the command line
        takes; told whether somebody watches how far it is.
    is_study
        Whether it takes long, and its job tells how far it is.
    has_rules
        Whether it takes the rules of a gate as a file.
    """

    name: str
    title: str
    asks: str
    request: type[Any]
    job: tuple[str, str]
    first: tuple[str, ...]
    example: Mapping[str, str] = field(default_factory=dict[str, str])
    pictures: tuple[Picture, ...] = ()
    logs: tuple[str, ...] = ()
    needs_logs: bool = False
    many_logs: bool = False
    about: tuple[str, ...] = ()
    several: bool = False
    check: Callable[[Any, bool], None] | None = None
    is_study: bool = False
    has_rules: bool = False

    def answers(
        self,
        request: Any,  # noqa: ANN401 - a request of this page's own type
        tell: Callable[[int, int], None] | None = None,
    ) -> tuple[Answer, ...]:
        """Return what the job says; ``tell`` is told how far a study is.

        Raises
        ------
        EvalgaugeError
            If the request is refused, by this page or by the job.
        """
        if self.check is not None:
            self.check(request, tell is not None)
        job: Callable[..., Any] = getattr(import_module(f"evalgauge.jobs.{self.job[0]}"), self.job[1])
        found = job(request, on_progress=tell) if self.is_study else job(request)
        return tuple(found) if self.several else (found,)
