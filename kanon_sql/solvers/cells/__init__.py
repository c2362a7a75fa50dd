"""Solvers that suppress rows of a table of counts, so that no primary row is disclosed."""

from kanon_sql.solvers.cells.suppress import begun, finished, suppress, widened

__all__ = ["begun", "finished", "suppress", "widened"]
