"""Answers become text, JSON and HTML. Nothing is computed here: every number comes from the answer."""
