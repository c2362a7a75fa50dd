"""The SQL functions registered in DuckDB, one a file; `kanon_sql.engines.duckdb.connect.connection` installs them."""
