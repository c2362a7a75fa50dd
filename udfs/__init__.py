"""The SQL functions registered in DuckDB, one a file; `register` in `kanon_sql.engines.duckdb.connection` installs them."""
