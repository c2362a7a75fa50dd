"""The SQL of a release: rows behind a gate, and what the gate asks."""
