"""A release beside its source: whether each row can come from the source, and what is lost, without a key between them."""

from kanon_sql.comparison.coded_source import CodedSource
from kanon_sql.comparison.tables import Loss, compare

__all__ = ["CodedSource", "Loss", "compare"]
