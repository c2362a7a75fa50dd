"""Protected tables are checked again from the source, the table and its certificate, in plain Python."""
