"""SQL with the words of kanon-sql highlighted, for the pages of the site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexers import LEXERS
from pygments.lexers.sql import SqlLexer
from pygments.token import Keyword, Name, Token

__all__ = ["KanonSqlLexer"]

_WORDS = frozenset(
    {"ANONYMIZE", "ANONYMIZATION", "GUARANTEE", "PROTECT", "KEEP", "LINKED", "WEIGHT", "PER", "POLICY", "POLICIES", "QUALIFY"}
    | {"DIGITS", "INTERVALS", "CUTS", "TOP", "BOTTOM", "ONLY"}
    | {"HIERARCHY", "BINS", "REGIONS", "RECTANGLES", "RANGES", "SETS", "MEANS", "MEDIANS"}
    | {"IDENTIFIER", "PSEUDONYM", "LINKABLE"}
)


class KanonSqlLexer(SqlLexer):
    """SQL in which the words of the ANONYMIZE clause are keywords, where they are written in capitals."""

    name = "Kanon SQL"
    aliases: ClassVar[list[str]] = ["kanon-sql"]
    filenames: ClassVar[list[str]] = []

    def get_tokens_unprocessed(self, text: str) -> Iterator[Any]:  # type: ignore[override]
        """Yield the tokens of Pygments' own SQL, with these words as keywords."""
        for place, token, value in super().get_tokens_unprocessed(text):
            word = (token in Name or token in Keyword or token is Token.Text) and value in _WORDS
            yield place, Keyword if word else token, value


LEXERS["KanonSqlLexer"] = (__name__, KanonSqlLexer.name, ("kanon-sql",), (), ())
