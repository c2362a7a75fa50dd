"""DuckDB: connections, sessions, the SQL of a release and its audit, and tables in files."""
