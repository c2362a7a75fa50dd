"""Releases on Spark: the same policy, the same certificate and the same audit, on the engine that holds the table.

Needs ``pip install 'kanon-sql[spark]'`` and Java 17.
"""

from __future__ import annotations

from kanon_sql.engines.spark.anonymization import anonymize, releases
from kanon_sql.engines.spark.auditing import audit
from kanon_sql.engines.spark.protecting import protect, protected_tables
from kanon_sql.engines.spark.statement import sql
from kanon_sql.engines.spark.table_function import register

__all__ = ["anonymize", "audit", "protect", "protected_tables", "register", "releases", "sql"]
