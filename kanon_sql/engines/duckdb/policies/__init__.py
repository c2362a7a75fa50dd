"""Stored policies, and suggestions for new ones."""
