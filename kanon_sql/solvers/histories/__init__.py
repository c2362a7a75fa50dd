"""Guarantees about histories: at least k people for any m known rows of a person."""
