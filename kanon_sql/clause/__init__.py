"""The ANONYMIZE clause: from SQL text with the clause to SQL text without it; no database needed."""

from __future__ import annotations

from kanon_sql.clause.conditions import guarantee_of
from kanon_sql.clause.corrections import not_our_word
from kanon_sql.clause.place import named_arguments, place_of
from kanon_sql.clause.plain_query import shown_columns
from kanon_sql.clause.recodings import recodings_of
from kanon_sql.clause.rewrite import rewrite
from kanon_sql.clause.single import single_release
from kanon_sql.clause.wide import wide_text
from kanon_sql.clause.with_policy import release_with_policy
from kanon_sql.clause.writing import clause_of, definition_of, recoding_of

__all__ = [
    "clause_of",
    "definition_of",
    "guarantee_of",
    "named_arguments",
    "not_our_word",
    "place_of",
    "recoding_of",
    "recodings_of",
    "release_with_policy",
    "rewrite",
    "shown_columns",
    "single_release",
    "wide_text",
]
