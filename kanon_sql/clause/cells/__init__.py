"""GROUP BY ... PROTECT: where the clause is, the table that its query makes, and its requirement."""
