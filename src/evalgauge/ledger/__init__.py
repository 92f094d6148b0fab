"""Looks on disk: what a set is, who looked at it when, and a chain that shows if the record was touched."""
