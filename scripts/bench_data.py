"""Write the large logs that the benchmarks read.

`python scripts/bench_data.py inspect FILE --python PYTHON_WITH_INSPECT_AI` writes an Inspect log of 600 cases, 5 epochs
and 3 scorers (9,000 scores) by the real inspect-ai. `python scripts/bench_data.py lm-eval FILE --megabytes 460` writes
samples of lm-eval: every document is distinct, has a long prompt and stands on two lines, one per filter.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
from pathlib import Path
from typing import Any

SEED = 11
FILTERS = ("strict-match", "flexible-extract")
SHOTS = 8
PASS_RATE = 0.62
PLACES = ("mill", "library", "harbour", "bakery", "museum", "orchard", "station", "workshop")
THINGS = ("crates", "letters", "tickets", "loaves", "bolts", "lanterns", "maps", "bottles")


def problem(draw: random.Random, key: str) -> tuple[str, int]:
    """Return a word problem that holds `key`, with its answer."""
    place, thing = draw.choice(PLACES), draw.choice(THINGS)
    start, added, times = draw.randint(10, 99), draw.randint(2, 60), draw.randint(2, 9)
    text = (
        f"The {place} with the number {key} begins the week with {start} {thing}. On each of {times} days "
        f"{added} more {thing} arrive, and none are given away. How many {thing} are there in the end?"
    )
    return text, start + added * times


def sha256(text: str) -> str:
    """Return the hash that lm-eval writes for `text`."""
    return hashlib.sha256(text.encode()).hexdigest()


def document_lines(number: int, shots: str, draw: random.Random) -> list[str]:
    """Return the lines of document `number`, one per filter."""
    question, answer = problem(draw, f"{number:07d}")
    doc = {"question": question, "answer": str(answer), "kind": PLACES[number % len(PLACES)]}
    prompt = f"{shots}Question: {question}\nAnswer:"
    given = answer if draw.random() < PASS_RATE else answer + 1
    reply = f" Each day brings some more, so I add them up step by step. The answer is {given}."
    row: dict[str, Any] = {
        "doc_id": number,
        "doc": doc,
        "target": str(answer),
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": ["Question:"], "do_sample": False}}},
        "resps": [[reply]],
    }
    hashes = {
        "doc_hash": sha256(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": sha256(prompt),
        "target_hash": sha256(str(answer)),
    }
    score = float(given == answer)
    lines = []
    for name in FILTERS:
        filtered = {"filtered_resps": [str(given)], "filter": name, "metrics": ["exact_match"]}
        lines.append(json.dumps({**row, **filtered, **hashes, "exact_match": score}, ensure_ascii=False) + "\n")
    return lines


def write_lm_eval(target: Path, *, megabytes: float) -> int:
    """Write samples of lm-eval until `target` holds `megabytes` MB, and return the number of documents."""
    draw = random.Random(SEED)  # noqa: S311 (texts, not secrets)
    shown = [problem(draw, f"example {number}") for number in range(SHOTS)]
    shots = "".join(f"Question: {question}\nAnswer: The answer is {answer}.\n\n" for question, answer in shown)
    size, number = 0, 0
    with target.open("w", encoding="utf-8") as out:
        while size < megabytes * 1_000_000:
            for line in document_lines(number, shots, draw):
                size += out.write(line)
            number += 1
    return number


def write_inspect(target: Path, *, python: Path) -> None:
    """Let the inspect-ai of the interpreter `python` write its log to `target`."""
    script = Path(__file__).parent / "fixtures" / "inspect_fixtures.py"
    subprocess.run([python, script, "--big", target.resolve()], check=True, cwd=target.resolve().parent)


def main() -> None:
    """Write the log asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    inspect = kinds.add_parser("inspect", help="an Inspect log of 9,000 scores")
    inspect.add_argument("target", type=Path)
    inspect.add_argument("--python", type=Path, required=True, help="interpreter that has inspect-ai")
    lm_eval = kinds.add_parser("lm-eval", help="a large samples file")
    lm_eval.add_argument("target", type=Path)
    lm_eval.add_argument("--megabytes", type=float, default=460)
    options = parser.parse_args()
    if options.kind == "inspect":
        write_inspect(options.target, python=options.python)
    else:
        number = write_lm_eval(options.target, megabytes=options.megabytes)
        print(f"wrote {number} documents, {number * len(FILTERS)} lines")


if __name__ == "__main__":
    main()
