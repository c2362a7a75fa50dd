"""A release and its certificate checked again, from the tables alone: no solver runs."""

from kanon_sql.verification.claims import verify

__all__ = ["verify"]
