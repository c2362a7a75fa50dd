"""What an audit counts."""
