"""GROUP BY ... PROTECT: where the clause is, the table that its query makes, and what is asked of it."""
