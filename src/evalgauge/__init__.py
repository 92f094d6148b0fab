"""Honest intervals and verdicts for evals, from the logs that eval frameworks already write."""
