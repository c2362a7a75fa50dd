"""The studio: a local page over the same functions as the clause. Every click is the SQL that does the same."""
