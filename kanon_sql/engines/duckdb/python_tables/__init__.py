"""Tables in Python of every library, on their way into DuckDB and back."""
