"""Compares two arms of one table in a process of its own; prints the core-seconds and the peak of its memory in MB."""

from __future__ import annotations

import sys
import time

import evalgauge
from bench_clock import own_peak_mb

evalgauge.compare(sys.argv[1], arms=("base", "new"), no_ledger=True)
print(time.process_time(), own_peak_mb())
