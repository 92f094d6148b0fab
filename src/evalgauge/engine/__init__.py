"""Large tables: reading and writing by an embedded engine, one column at a time and within a memory limit."""
