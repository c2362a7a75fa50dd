"""The SQL functions and macros registered in DuckDB, a file for each step of a statement; see `registration`."""
