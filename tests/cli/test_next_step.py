"""The line after ``Next:`` can be pasted: it keeps the options that the answer needed, and it runs."""

from __future__ import annotations

import re
import shlex
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

COMMANDS: list[list[str]] = [
    ["measure", "two.csv", "--metric", "faithfulness"],
    ["measure", "hundred.csv", "--range", "0:100"],
    ["measure", "arms.csv"],
    ["measure", "wide.csv", "--wide-reps", "old,new"],
    ["measure", "mapped.csv", "--map", "case=number,score=good"],
    ["measure", "labels.csv", "--words", "left=1,right=0"],
    ["measure", "reps.csv", "--by", "topic", "--cluster", "topic", "--missing", "drop", "--confidence", "90%"],
    ["measure", "-odd name.csv"],
    ["measure", "47/50"],
    ["measure", "0/7", "--confidence", "90%"],
    ["measure", "2/3"],
    ["measure", "--passed", "7", "--of", "7"],
    ["compare", "hundred.csv", "hundred.csv", "--range", "0:100"],
    ["compare", "wide.csv", "--arms", "old,new"],
    ["compare", "wide.csv", "--wide-arms", "old,new", "--margin", "2pp"],
    ["compare", "arms.csv", "--arms", "one,two", "--margin", "30pp"],
    ["compare", "plain.csv", "other.csv", "--unpaired"],
    ["compare", "plain.csv", "plain.csv", "--explain-pairing"],
    ["compare", "--wins", "22", "--losses", "9", "--of", "240"],
    ["compare", "45/50", "30/80", "--unpaired"],
    ["convert", "plain.csv", "-o", "out.csv"],
    ["measure", "broken.csv", "--tolerant"],
    ["measure", "broken_reps.csv", "--tolerant"],
    ["compare", "broken.csv", "plain.csv", "--tolerant", "--margin", "1pp"],
    ["plan", "reps", "two_reps.csv", "--metric", "faithfulness"],
    ["plan", "reps", "two_reps.csv", "--metric", "faithfulness", "--margin", "5pp"],
    ["plan", "reps", "broken_reps.csv", "--tolerant"],
    ["convert", "plain.csv", "-o", "content.csv", "--with-content"],
    ["look-at", "plain.csv"],
    ["look-at", "arms.csv"],
    ["look-at", "reps.csv"],
    ["look-at", "hundred.csv"],
    ["look-at", "labels.csv"],
    ["look-at", "two.csv"],
    ["look-at", "mapped.csv", "--map", "case=number,score=good"],
    ["look-at", "wide.csv", "--wide-arms", "old,new"],
    ["look-at", "wide.csv", "--wide-reps", "old,new"],
    ["verify", "--reps", "2", "--rule", "per_case_wald"],
    ["verify", "--like", "reps.csv", "--cluster", "topic", "--sims", "200"],
    ["verify", "--like", "hundred.csv", "--range", "0:100", "--confidence", "90%", "--sims", "200"],
    ["verify", "--like", "plain.csv", "--like", "reps.csv", "--rule", "per_case_wald"],
    ["verify", "gate", "--like", "reps.csv", "--max-drop", "20pp", "--sims", "20"],
    ["rank", "long.csv", "longer.csv", "worse.csv"],
    ["rank", "long.csv", "longer.csv"],
    ["rank", "wide.csv", "--wide-arms", "old,new"],
    ["rank", "three.csv", "--cluster", "topic", "--confidence", "90%"],
    ["bless", "plain.csv", "-o", "baseline.json"],
    ["bless", "two.csv", "-o", "both.json"],
    ["gate", "long.csv", "long.csv", "--max-drop", "2pp"],
    ["gate", "long.csv", "longer.csv", "--max-drop", "2pp"],
    ["gate", "long.csv", "worse.csv", "--max-drop", "2pp"],
    ["gate", "long.csv", "--min-rate", "20%"],
    ["gate", "long.csv", "--min-rate", "50%"],
    ["gate", "--check", "long.csv", "--max-drop", "2pp"],
    ["gate", "--check", "--max-drop", "2pp"],
    ["gate", "--check", "--min-rate", "90%", "--cases", "20"],
    ["gate", "--check", "--better-than", "0pp"],
    ["gate", "long.csv", "longer.csv", "--max-drop", "20pp", "--pairing", "content", "--allow-blind"],
    ["gate", "long.csv", "longer.csv", "--max-drop", "0.5pp", "--allow-blind"],
    ["compare", "long.csv", "long.csv", "--margin", "2pp"],
]

# What a user puts in place of a word in capitals.
PLACEHOLDERS = {"CANDIDATE": ("other.csv", "your other log"), "YOUR_LOG": ("plain.csv", "a log of your own")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cases = range(30)
    plain = [(f"q{i}", i % 2) for i in cases]
    written(tmp_path / "plain.csv", ("case", "score"), plain)
    written(tmp_path / "-odd name.csv", ("case", "score"), plain)
    written(tmp_path / "other.csv", ("case", "score"), [(f"z{i}", i % 3 // 2) for i in cases])
    written(tmp_path / "two.csv", ("case", "faithfulness", "correctness"), [(f"q{i}", i % 5 / 4, 1) for i in cases])
    written(tmp_path / "hundred.csv", ("case", "score"), [(f"q{i}", i * 3) for i in cases])
    written(
        tmp_path / "arms.csv",
        ("case", "arm", "score"),
        [(f"q{i}", a, i % (2 + (a == "two"))) for i in cases for a in ("one", "two") if i % (2 + (a == "two")) < 2],
    )
    written(tmp_path / "wide.csv", ("case", "old", "new"), [(f"q{i}", i % 2, 1) for i in cases])
    written(tmp_path / "mapped.csv", ("number", "good"), plain)
    written(tmp_path / "labels.csv", ("case", "score"), [(f"q{i}", "left" if i % 2 else "right") for i in cases])
    written(
        tmp_path / "reps.csv",
        ("case", "rep", "score", "topic"),
        [(f"q{i}", r, (i + r) % 2, f"t{i % 6}") for i in cases for r in (1, 2)],
    )
    for name, whole in (("broken.csv", "plain.csv"), ("broken_reps.csv", "reps.csv")):
        header, *lines = (tmp_path / whole).read_text(encoding="utf-8").splitlines()
        (tmp_path / name).write_text("\n".join([header, "q999", *lines, ""]), encoding="utf-8")
    written(
        tmp_path / "two_reps.csv",
        ("case", "rep", "faithfulness", "correctness"),
        [(f"q{i}", r, (i + r) % 2, 1) for i in cases for r in (1, 2)],
    )
    written(
        tmp_path / "three.csv",
        ("case", "arm", "score", "topic"),
        [(f"q{i}", a, i % step > 0, f"t{i % 10}") for i in cases for a, step in (("x", 9), ("y", 3), ("z", 2))],
    )
    many = range(300)
    written(tmp_path / "long.csv", ("case", "score"), [(f"q{i}", i % 2) for i in many])
    written(tmp_path / "longer.csv", ("case", "score"), [(f"q{i}", i % 2 ^ (i % 30 < 2)) for i in many])
    written(tmp_path / "worse.csv", ("case", "score"), [(f"q{i}", i % 2 if i < 200 else 0) for i in many])
    return tmp_path


# A gate says pass, fail or cannot decide by its code; a check says 2 where a rule is blind.
CODES = {"gate": {0, 1, 2, 3}}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_what_is_said_to_be_next_runs(command: Command, folder: Path, words: list[str]) -> None:
    with chdir(folder):
        if "broken" in words[1]:
            assert command(*words[:2]).code == 2
        asked = ["--", *words[1:]] if words[1].startswith("-odd") else words[1:]
        seen = command(words[0], *asked)
        assert seen.code in CODES.get(words[0], {0}), seen.err
        lines = [line.strip() for line in seen.out.splitlines() if line.strip().startswith("Next: ")]
        assert lines
        for line in lines:
            text, note = re.fullmatch(r"Next: (.*?)((?:   \([A-Z_]+: [^()]+\))?)", line).groups()  # type: ignore[union-attr]
            program, *following = shlex.split(text)
            assert program == "evalgauge"
            # What cannot be run as it stands says so.
            said = {word for word in following if word in PLACEHOLDERS}
            assert note == "".join(f"   ({word}: {PLACEHOLDERS[word][1]})" for word in said)
            stand_ins = {**PLACEHOLDERS, **({"CANDIDATE": ("long.csv", "")} if "gate" in words else {})}
            following = [stand_ins[word][0] if word in stand_ins else word for word in following]
            # Two logs that share no case cannot be paired: what is tried here is the command, not the pairing.
            if "other.csv" in following and "--unpaired" not in following:
                following = [words[1] if word == "other.csv" else word for word in following]
                following = [f"./{word}" if word.startswith("-odd") else word for word in following]
            again = command(*following)
            codes = CODES.get(following[0], {0}) if "--check" in following else CODES.get(following[0], {0}) - {2}
            assert again.code in codes, f"{line}: {again.err}"
