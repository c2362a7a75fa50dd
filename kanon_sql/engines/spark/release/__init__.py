"""A release of a DataFrame, from its row types to the audited table."""
