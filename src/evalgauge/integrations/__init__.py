"""Evals inside other tools: parse what the tool knows, ask a job, show the answer in the tool's own way."""
