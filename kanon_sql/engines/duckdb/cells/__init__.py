"""Protected tables in DuckDB: base counts by one GROUP BY, and the rows that may be shown."""
