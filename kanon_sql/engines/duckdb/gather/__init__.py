"""The source of a release: what is read, whom its rows describe, and its row types."""
