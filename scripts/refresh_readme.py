"""Write the output of every console example of the README under its command."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def with_output(block: re.Match[str]) -> str:
    """Return a console block with fresh output under each command."""
    commands = re.findall(r"^\$ (.*)$", block[1], flags=re.MULTILINE)
    parts: list[str] = []
    for command in commands:
        words = [sys.executable, "-m", *command.split()]
        run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
        parts.append(f"$ {command}\n{run.stdout.rstrip()}\n")
    return "```console\n" + "\n".join(parts) + "```"


def main() -> None:
    """Refresh the README in place."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(re.sub(r"```console\n(.*?)```", with_output, text, flags=re.DOTALL), encoding="utf-8")
    print(f"refreshed {readme.name}")


if __name__ == "__main__":
    main()
