"""Releases on Spark: the same policy, the same certificate and the same audit, on the engine that holds the table.

Needs ``pip install 'kanon-sql[spark]'`` and Java 17.
"""

from __future__ import annotations

from kanon_sql.engines.spark.audit.figures_of_table import audit
from kanon_sql.engines.spark.cells.protecting import protect, protected_tables
from kanon_sql.engines.spark.connect.statement import sql
from kanon_sql.engines.spark.connect.table_functions import register
from kanon_sql.engines.spark.release.anonymization import anonymize, releases

__all__ = ["anonymize", "audit", "protect", "protected_tables", "register", "releases", "sql"]
