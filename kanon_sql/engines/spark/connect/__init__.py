"""What Spark needs for any statement: names, errors, tables between steps, and the functions of a session."""
