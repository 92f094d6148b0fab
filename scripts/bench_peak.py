"""Reads one log in a process of its own and prints the peak of its resident memory in MB."""

from __future__ import annotations

import sys

import evalgauge
from bench_clock import own_peak_mb

evalgauge.read(sys.argv[1])
print(own_peak_mb())
