"""What the audit counts on a DataFrame."""
