"""Releases of histories: the rows of a person, linked by tokens."""
