"""What a look at a holdout may have shown. No NumPy here: the questions room names this type before any work."""

from __future__ import annotations

from typing import Literal, TypeAlias

Display: TypeAlias = Literal["nothing", "pass-fail", "score-on-pass", "rounded", "exact", "per-case"]
