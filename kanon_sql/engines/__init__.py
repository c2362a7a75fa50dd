"""Engines: where a table is read, released and audited."""
