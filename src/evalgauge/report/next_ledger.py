"""After each answer of the ledger one command that is worth running next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from evalgauge.report.command_line import log_words

if TYPE_CHECKING:
    from evalgauge.questions.ledger_cards import StatusAnswer
    from evalgauge.questions.ledger_looks import ImportAnswer, LookAnswer, RefreshAnswer
    from evalgauge.questions.ledger_parts import LedgerOptions, WearCard
    from evalgauge.questions.ledger_sets import CheckAnswer, DeclareAnswer, MergeAnswer, RegisterAnswer

_USUAL_DROP = 0.02


def in_ledger(command: str, *words: str, ledger: str | None) -> str:
    """Return a command of the ledger, with the ledger named where it was named before."""
    where = [] if ledger is None else ["--ledger", shlex.quote(ledger)]
    return " ".join([f"evalgauge ledger {command}", *words, *where])


def status_of(name: str, asked: LedgerOptions | None, ledger: str | None = None) -> str:
    """Return the command that shows the card of a set."""
    return in_ledger("status", shlex.quote(name), ledger=asked.ledger if asked is not None else ledger)


def after_init(asked: LedgerOptions) -> str:
    """Return what to run after a new ledger: the first set, or all sets of old logs."""
    return in_ledger("register", "LOG --name NAME", ledger=asked.ledger)


def after_register(answer: RegisterAnswer) -> str:
    """Return what to run after a set was registered: the promise that makes each look cheapest."""
    return in_ledger("declare", shlex.quote(answer.name), "--looks 12 --ships 1", ledger=answer.request.ledger)


def after_declare(answer: DeclareAnswer) -> str:
    """Return what to run after a promise: the first verdict."""
    if answer.promise.display in {"pass-fail", "score-on-pass", None}:
        return judged(answer.request.ledger, answer.least_drop)
    return in_ledger("look", "LOG", ledger=answer.request.ledger)


def judged(ledger: str | None, least_drop: float | None) -> str:
    """Return the command that judges a candidate on a holdout, by a rule that its cases can still decide."""
    where = [] if ledger is None else ["--ledger", shlex.quote(ledger)]
    drop = f"{100 * max(_USUAL_DROP, least_drop or 0.0):g}pp"
    return " ".join(["evalgauge gate BASELINE CANDIDATE --max-drop", drop, "--holdout", *where])


def after_look(answer: LookAnswer) -> str:
    """Return what to run after a look: the card."""
    return in_ledger("status", shlex.quote(answer.set_name), ledger=answer.request.ledger)


def after_import(answer: ImportAnswer) -> str:
    """Return what to run after an import: the sets that are not registered, or the cards."""
    for one in answer.sets:
        if not one.is_registered:
            words = [*log_words([one.example]), "--name", shlex.quote(one.name)]
            return in_ledger("register", *words, ledger=answer.request.ledger)
    return in_ledger("status", ledger=answer.request.ledger)


def after_refresh(answer: RefreshAnswer) -> str:
    """Return what to run after a step of a refresh: the next one."""
    if answer.step == "drawn":
        return in_ledger("refresh", "NEW_LOG", ledger=answer.request.ledger)
    return in_ledger("status", shlex.quote(answer.set_name), ledger=answer.request.ledger)


def after_check(answer: CheckAnswer) -> str:
    """Return what to run after a check: note the head, or save what can still be read."""
    if not answer.is_whole:
        return in_ledger("history", "SET", ledger=answer.request.ledger)
    return in_ledger("check", "--head", answer.head[:10], ledger=answer.request.ledger)


def after_merge(answer: MergeAnswer) -> str:
    """Return what to run after a merge: the cards, or the way back for the other copy."""
    if answer.kind == "joined":
        return in_ledger("export", "-o ledger.jsonl --overwrite", ledger=answer.request.ledger)
    return in_ledger("status", ledger=answer.request.ledger)


def after_status(answer: StatusAnswer) -> str:
    """Return what to run after the cards: what the one card says to do, or the card that needs it most."""
    ledger = answer.request.ledger
    if answer.sets:
        order = ("finish refresh", "fresh set", "refresh", "pass or fail only", "go on")
        worst = min(answer.sets, key=lambda row: (order.index(row.action), -row.looks))
        return in_ledger("status", shlex.quote(worst.name), ledger=ledger)
    if not answer.cards:
        return in_ledger("register", "LOG --name NAME", ledger=ledger)
    return _after_card(answer.cards[0], ledger)


def _after_card(card: WearCard, ledger: str | None) -> str:
    name = shlex.quote(card.name)
    if card.action == "finish refresh":
        return in_ledger("refresh", "NEW_LOG", ledger=ledger)
    if card.action == "refresh":
        share = round(100 * card.refresh_share) if card.optimism > card.tolerance else 50
        return in_ledger("refresh", f"LOG --share {share}% -o retired.txt", ledger=ledger)
    if card.action == "fresh set":
        return in_ledger("refresh", "LOG --share 100% -o retired.txt", ledger=ledger)
    if not card.looks and card.promise is None:
        return in_ledger("declare", name, "--looks 12 --ships 1", ledger=ledger)
    if card.next_look.least_drop is None:
        return in_ledger("refresh", "LOG --share 100% -o retired.txt", ledger=ledger)
    return judged(ledger, card.next_look.least_drop)
