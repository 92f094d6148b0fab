"""Write the coverage of every default rule, over a grid of evals, into docs/coverage.md and docs/coverage.csv.

Each cell is one `evalgauge verify` command, which stands beside its figures. `python scripts/certificate.py --check`
computes a few cells anew and compares them with the file.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from evalgauge.jobs.verify import verify_answer
from evalgauge.questions.units import Points, Share, WholeNumbers
from evalgauge.questions.verify import VerifyRequest
from evalgauge.report.command_line import option_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE, TABLE = DOCS / "coverage.md", DOCS / "coverage.csv"
START, END = "<!-- written by make certificate -->", "<!-- end of what make certificate writes -->"
SIMS, SEED = 10_000, 0
CASES, REPS = (10, 25, 50, 100), (1, 2, 5, 20)
NOMINAL, FLOOR, ROW = 0.95, 0.90, (0.93, 0.99)
DEFAULT = "evalgauge_default"

RATES = {
    "U(.05,.95)": "uniform:0.05:0.95",
    "Beta(4,1)": "beta:4:1",
    "fixed .8": "0.8",
    "pass or fail .9": "0.9@1,0.1@0",
    ".8 at 1, .1 at 0": "0.8@1,0.1@0,0.1@uniform:0:1",
    ".9 at 1, Beta(7,3)": "0.9@1,0.1@beta:7:3",
}
GRADED = {
    "Beta(8,2)": "beta:8:2",
    ".5 at 1, .2 at 0": "0.5@1,0.2@0,0.3@uniform:0:1",
    ".95 at 1, U(0,.6)": "0.95@1,0.05@uniform:0:0.6",
    "five grades": "0.02@0,0.05@0.25,0.13@0.5,0.3@0.75,0.5@1",
    "N(.7,.05)": "normal:0.7:0.05",
}
CHANGES = {
    "U(.05,.95), +.10 sd .15": VerifyRequest(),
    "U(.05,.95), 0 sd .15": VerifyRequest(rates="uniform:0.05:0.95", effect_sd=Points(0.15)),
    "identical arms": VerifyRequest(rates="uniform:0.05:0.95"),
    ".75 at 1, 12 % move +.3": VerifyRequest(rates="0.75@1,0.07@0,0.06@uniform:0:1,0.12@uniform:0:1/+0.3"),
    "deterministic flips": VerifyRequest(rates="0.833@1,0.017@1/0,0.06@0/1,0.09@0"),
}
GROUPS, MEANS, CORRELATIONS, SIZES = (5, 10, 20, 50), (0.7, 0.9), (0.05, 0.2, 0.5), {"10": 10, "3:27": 15}
HARD = {"Beta(4,.08)": VerifyRequest(rates="beta:4:0.08", design="single", n_cases=25, reps=WholeNumbers((50,)))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One rule on one kind of eval."""

    family: str
    cases: str
    n: int
    reps: int
    rule: str
    coverage: float
    error: float
    lower_miss: float
    upper_miss: float
    half_width: float
    zero_width: float
    exact: bool
    command: str


Question: TypeAlias = tuple[str, str, int, VerifyRequest]
"""Family, name, size, and what is asked."""


def questions() -> list[Question]:
    """Return the question of every cell of the grid; one that asks for several reps stands for as many cells."""
    reps = WholeNumbers(REPS)
    single = VerifyRequest(design="single", reps=reps)
    return [
        *(("score", name, n, replace(single, rates=rates, n_cases=n)) for name, rates in RATES.items() for n in CASES),
        *(
            ("graded", name, n, VerifyRequest(rates=rates, graded=True, n_cases=n))
            for name, rates in GRADED.items()
            for n in CASES
        ),
        *clustered_questions(),
        *(("change", name, n, replace(asked, n_cases=n, reps=reps)) for name, asked in CHANGES.items() for n in CASES),
        *(("hard", name, asked.n_cases or 0, asked) for name, asked in HARD.items()),
    ]


def clustered_questions() -> Iterator[Question]:
    """Return those about cases that share sources."""
    for (size, cases), rate, icc, groups in product(SIZES.items(), MEANS, CORRELATIONS, GROUPS):
        asked = VerifyRequest(rates=f"{rate:g}", cluster_size=size, icc=Share(icc), n_cases=groups * cases)
        yield "clusters", f"{size} cases, mean {rate:g}, ICC {icc:g}", groups, asked


def cells(family: str, name: str, n: int, asked: VerifyRequest) -> list[Cell]:
    """Return what every rule does on the evals of one question."""
    asked = replace(asked, sims=SIMS, seed=SEED)
    found: list[Cell] = []
    for one in verify_answer(asked).rules:
        # Cell by cell the command asks for its own number of reps.
        own = replace(asked, reps=WholeNumbers((one.reps,)) if asked.reps else None)
        found.append(
            Cell(
                family=family,
                cases=name,
                n=n,
                reps=one.reps,
                rule=one.rule,
                coverage=round(one.coverage, 5),
                error=round(one.error, 5),
                lower_miss=round(one.lower_miss, 5),
                upper_miss=round(one.upper_miss, 5),
                half_width=round(one.mean_half_width, 5),
                zero_width=round(one.zero_width, 5),
                exact=one.exact,
                command=" ".join(["evalgauge verify", *option_words(own), "--seed", str(SEED)]),
            )
        )
    return found


def mean(values: Iterable[float]) -> float:
    """Return the mean."""
    listed = list(values)
    return sum(listed) / len(listed)


def row(*texts: object) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(str(text) for text in texts) + " |"


def table(head: list[str], rows: Iterable[tuple[object, ...]]) -> list[str]:
    """Return a table."""
    return [row(*head), row(*["---"] * len(head)), *(row(*texts) for texts in rows), ""]


def summary(found: list[Cell], family: str, sizes: tuple[int, ...]) -> list[str]:
    """Return worst and mean coverage of every rule by size."""
    rules = list(dict.fromkeys(one.rule for one in found if one.family == family))
    some = {
        (rule, n): [one.coverage for one in found if (one.family, one.rule, one.n) == (family, rule, n)]
        for rule in rules
        for n in sizes
    }
    cells_of = [(rule, *(f"{min(some[rule, n]):.3f} / {mean(some[rule, n]):.3f}" for n in sizes)) for rule in rules]
    return table(["rule, worst / mean", *(str(n) for n in sizes)], cells_of)


def each(found: list[Cell], family: str, sizes: tuple[int, ...], text: Callable[[Cell], str]) -> list[str]:
    """Return the default rule in every cell."""
    rows: dict[tuple[str, int], dict[int, str]] = defaultdict(dict)
    for one in found:
        if (one.family, one.rule) == (family, DEFAULT):
            rows[one.cases, one.reps][one.n] = text(one)
    listed = [(name, reps, *(by_size[n] for n in sizes)) for (name, reps), by_size in rows.items()]
    return table(["cases", "R", *(str(n) for n in sizes)], listed)


def below(found: list[Cell]) -> list[Cell]:
    """Return the cells of default rules that cover less than they say, beyond two Monte-Carlo errors."""
    return [one for one in found if one.rule == DEFAULT and one.coverage + 2 * one.error < NOMINAL]


def promise(found: list[Cell]) -> list[str]:
    """Return what is promised and whether it holds."""
    defaults = [one for one in found if one.rule == DEFAULT and one.family != "hard"]
    large = [one for one in defaults if one.n * (10 if one.family == "clusters" else 1) >= 25]
    worst = min(large, key=lambda one: one.coverage)
    rows = {
        (family, n): mean(one.coverage for one in defaults if (one.family, one.n) == (family, n))
        for family, n in dict.fromkeys((one.family, one.n) for one in defaults)
    }
    low = [f"{family} {n} ({share:.3f})" for (family, n), share in rows.items() if share < ROW[0]]
    high = [f"{family} {n} ({share:.3f})" for (family, n), share in rows.items() if share > ROW[1]]
    least = (
        f"Least coverage of a default rule with 25 cases or more: {worst.coverage:.3f} ({worst.cases}, n or G = "
        f"{worst.n}, R = {worst.reps}); promised: {FLOOR:.2f}."
    )
    means = (
        f"Mean by family and size: {min(rows.values()):.3f} to {max(rows.values()):.3f}; promised: {ROW[0]} to "
        f"{ROW[1]}. Below that: {', '.join(low) or 'none'}. Above, where the intervals are wider than they need be: "
        f"{', '.join(high) or 'none'}."
    )
    return [least, means, ""]


def page(found: list[Cell]) -> str:
    """Return the part of the page that this script writes."""
    exact = sum(one.exact for one in found)
    few = below(found)
    how = (
        f"{len(found):,} figures: {exact:,} are exact, the others are from {SIMS:,} evals each (seed {SEED}), with a "
        "Monte-Carlo error of about .002."
    )
    lines = [
        START,
        "## The grid",
        "",
        how,
        "Every cell with every rule, its misses, its width and the command that shows it again is in",
        "[coverage.csv](coverage.csv). `make certificate` writes both. Rules are named as `--rule` names them.",
        "",
        *promise(found),
        "### One score, pass or fail: 24 cells at each n (six shapes of case rates × R = 1, 2, 5, 20)",
        "",
        *summary(found, "score", CASES),
        "The default (Wilson, or effective-n Wilson with t) in each cell:",
        "",
        *each(found, "score", CASES, lambda one: f"{one.coverage:.3f}"),
        "### Graded scores, one run a case",
        "",
        *summary(found, "graded", CASES),
        *each(found, "graded", CASES, lambda one: f"{one.coverage:.3f}"),
        "### Clusters (G of them, pass or fail, one run a case)",
        "",
        *summary(found, "clusters", GROUPS),
        *each(found, "clusters", GROUPS, lambda one: f"{one.coverage:.3f}"),
        "### Change on the same cases: 20 cells at each n (five populations × R = 1, 2, 5, 20)",
        "",
        *summary(found, "change", CASES),
        "The interval that is chosen (Tango, tie-aware t or hull), coverage / lower miss / mean width:",
        "",
        *each(found, "change", CASES, lambda one: f"{one.coverage:.3f}/{one.lower_miss:.3f}/{2 * one.half_width:.3f}"),
        f"### Every cell of a default rule below {NOMINAL:.2f}, beyond two Monte-Carlo errors",
        "",
        *table(
            ["family", "cases", "n or G", "R", "coverage", "command"],
            [
                (one.family, one.cases, one.n, one.reps, f"{one.coverage:.3f}", f"`{one.command}`")
                for one in sorted(few, key=lambda one: one.coverage)
            ],
        ),
        'The "hard" row is named and outside the promise.' if any(one.family == "hard" for one in few) else "",
        END,
    ]
    return "\n".join(lines)


def read() -> list[Cell]:
    """Return the cells that were written."""
    with TABLE.open(encoding="utf-8", newline="") as source:
        return [cell_of(record) for record in csv.DictReader(source)]


def cell_of(record: dict[str, str]) -> Cell:
    """Return a cell from its row in the table."""
    texts, whole = ("family", "cases", "rule", "command"), ("n", "reps")
    kept = {name: record[name] for name in texts} | {name: int(record[name]) for name in whole}
    shares = {
        name: float(record[name])
        for name in ("coverage", "error", "lower_miss", "upper_miss", "half_width", "zero_width")
    }
    return Cell(**kept, **shares, exact=record["exact"] == "True")  # pyright: ignore[reportArgumentType]


def write(found: list[Cell]) -> None:
    """Write the table, and the part of the page between its marks."""
    with TABLE.open("w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, list(asdict(found[0])), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(one) for one in found)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    PAGE.write_text(before + page(found) + rest.partition(END)[2], encoding="utf-8")


def main() -> int:
    """Write the certificate, or check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", type=int, metavar="N", help="compute every N-th question anew and compare")
    options = parser.parse_args()
    asked = questions()
    if options.check:
        written = read()
        fresh = [one for question in asked[:: options.check] for one in cells(*question)]
        stale = [one for one in fresh if one not in written]
        for one in stale:
            print(f"not as written: {one}", file=sys.stderr)
        print(f"{len(fresh) - len(stale)} of {len(fresh)} figures are as written")
        return 1 if stale else 0
    found: list[Cell] = []
    for number, question in enumerate(asked, start=1):
        print(f"{number} of {len(asked)}: {question[0]} {question[1]}, {question[2]}", file=sys.stderr, flush=True)
        found += cells(*question)
    write(found)
    print(f"wrote {PAGE.name} and {TABLE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
