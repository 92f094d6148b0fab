"""``python -m evalgauge``."""

from __future__ import annotations

import sys

from evalgauge.cli import main

sys.exit(main())
