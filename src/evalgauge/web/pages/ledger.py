"""How worn are the team's holdouts?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.errors import ScoreError
from evalgauge.questions.ledger_cards import HistoryRequest, StatusRequest
from evalgauge.web.page import Page, Picture

if TYPE_CHECKING:
    from evalgauge.questions.ledger_cards import HistoryAnswer, StatusAnswer


def _history(answer: StatusAnswer) -> HistoryAnswer:
    from evalgauge.jobs.ledger_cards import history_answer  # noqa: PLC0415 - the database is loaded when it is asked

    if len(answer.cards) != 1:
        raise ScoreError("The wear of one set is drawn at a time.")
    return history_answer(HistoryRequest(names=(answer.cards[0].name,)))


LEDGER = Page(
    name="ledger",
    title="Ledger",
    asks="How worn are our holdouts, and what may still be claimed?",
    request=StatusRequest,
    job=("ledger_cards", "status_answer"),
    first=("names",),
    pictures=(Picture(kind="wear", through=_history),),
    about=("A look is recorded before its score is shown. What counts as a look: evalgauge ledger --help.",),
)
