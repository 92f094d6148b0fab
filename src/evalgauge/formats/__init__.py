"""Readers and writers by format: a log becomes a ``ScoreTable``."""
