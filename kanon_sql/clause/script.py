"""SQL text as tokens that know their place: words, brackets, lines and columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from sqlglot import Token, TokenType
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import TokenError

from kanon_sql.clause.statements import separators
from kanon_sql.errors import ClauseError, raise_alone

# Blanks for DuckDB, letters for the tokenizer; one character each, so offsets stay.
_BLANKS = str.maketrans("\u200b\u2060\ufeff", "   ")

_WORD = re.compile(r"anonymi[sz]e|\bprotect\b", re.IGNORECASE | re.ASCII)
_POLICY_WORDS = (re.compile("anonymization", re.IGNORECASE | re.ASCII), re.compile("polic", re.IGNORECASE | re.ASCII))

_OPENING = {")": "(", "]": "[", "}": "{"}


class _Tokenizer(DuckDB.Tokenizer):
    """DuckDB's quotes and comments, every unquoted word a VAR, and no statement swallowed as one string."""

    IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ['"', "`"]
    KEYWORDS: ClassVar[dict[str, TokenType]] = {
        ">=": TokenType.GTE,
        "<=": TokenType.LTE,
        "**": TokenType.DSTAR,
        "::": TokenType.DCOLON,
    }
    COMMANDS: ClassVar[set[TokenType]] = set()


class CorrectableError(ClauseError):
    """A text that cannot be read, and what was probably meant in the place of a part of it.

    Attributes
    ----------
    problem : str
        What is wrong, and a hint.
    sql : str
        The whole text.
    start, stop : int
        Offsets of the part of the text that is wrong.
    instead : str
        What was probably meant there.
    """

    def __init__(self, problem: str, pointed: ClauseError, sql: str, start: int, stop: int, instead: str) -> None:
        super().__init__(problem, line=pointed.line, column=pointed.column, text=pointed.text)
        self.problem, self.sql, self.start, self.stop, self.instead = problem, sql, start, stop, instead

    def hinting(self, meant: str | None) -> ClauseError:
        """Return the error with a corrected text as its hint, or, where there is none, with its own."""
        problem = self.problem if meant is None else f"{self.problem.partition('; hint: ')[0]}; hint: write {meant}"
        return ClauseError(problem, line=self.line, column=self.column, text=self.text)


@dataclass(frozen=True, slots=True)
class Script:
    """The tokens of a text; places are indexes into ``tokens``, and places outside of it are blank."""

    text: str  # the SQL text, one or more statements
    tokens: tuple[Token, ...]  # its tokens; their offsets count characters of ``text``
    # for the place of each bracket the place of its other half; filled by :meth:`match_brackets`
    partner: dict[int, int] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Script:
        """Split a text that mentions ANONYMIZE into tokens.

        Raises
        ------
        ClauseError
            When a quote or a comment is not closed, or not certainly: the word may be part of it.
        """
        blanked = text.translate(_BLANKS)
        try:
            tokens = _Tokenizer(dialect="duckdb").tokenize(blanked)
        except TokenError:
            # Without the cause: its message quotes the text around, with the values in it.
            raise_alone(_unreadable(text))
        for before, token in pairwise(tokens):
            # Right behind a number DuckDB reads e$$ and E' as a name and what follows, the tokenizer as one quoted text.
            touching = before.end + 1 == token.start and before.token_type in {TokenType.NUMBER, TokenType.VAR}
            # In the line after a text with escapes, versions of DuckDB differ about backslashes.
            continued = before.token_type is TokenType.BYTE_STRING and token.token_type is TokenType.STRING
            if (touching and token.token_type in {TokenType.HEREDOC_STRING, TokenType.BYTE_STRING}) or (
                continued and "\\" in token.text
            ):
                raise _unreadable(text)
        starts, stops = [token.start for token in tokens], [token.end + 1 for token in tokens]
        # The tokenizer miscounts some nested comments, such as /*/* ... */*/, and so might hide a word from us.
        if not all(_is_skipped(blanked[stop:start]) for stop, start in zip([0, *stops], [*starts, len(text)], strict=True)):
            raise _unreadable(text)
        return cls(text, tuple(tokens))

    def match_brackets(self) -> None:
        """Find the other half of each bracket.

        Raises
        ------
        ClauseError
            When a bracket has none in its statement.
        """
        opened: list[int] = []
        ends = set(separators(self.tokens))
        for place in range(len(self.tokens)):
            sign = self.spelled(place)
            if sign in _OPENING:
                if not opened or self.spelled(opened[-1]) != _OPENING[sign]:
                    raise self.error("this bracket was never opened", place)
                self.partner[place] = opened.pop()
                self.partner[self.partner[place]] = place
            elif sign in _OPENING.values():
                opened.append(place)
            elif place in ends and opened:
                break
        if opened:
            raise self.error("this bracket is never closed; hint: close it", opened[-1])

    def statements(self) -> Iterator[tuple[int, int]]:
        """Yield the first place of each statement and the place behind its last, its semicolon."""
        first = 0
        for end in (*separators(self.tokens), len(self.tokens)):
            if end > first:
                yield first, end
            first = end + 1

    def words(self, place: int, *wanted: str) -> bool:
        """Return whether these unquoted words, in capitals, begin at a place."""
        return all(self.word(place + number) == one for number, one in enumerate(wanted))

    def start(self, place: int) -> int:
        """Return the offset of the first character of a token."""
        return self.tokens[place].start

    def stop(self, place: int) -> int:
        """Return the offset behind the last character of a token."""
        return self.tokens[place].end + 1

    def spelled(self, place: int) -> str:
        """Return the token as the text spells it, quotes included."""
        return self.text[self.start(place) : self.stop(place)] if 0 <= place < len(self.tokens) else ""

    def kind(self, place: int) -> TokenType | None:
        """Return the type of the token; every unquoted word is a VAR."""
        return self.tokens[place].token_type if 0 <= place < len(self.tokens) else None

    def word(self, place: int) -> str:
        """Return an unquoted word in capitals, or nothing for any other token."""
        spelled = self.spelled(place) if self.kind(place) is TokenType.VAR else ""
        # Capitals of other letters could look like a keyword: a dotless i has the capital I.
        return spelled.upper() if spelled.isascii() else spelled

    def keyword(self, place: int) -> str:
        """Return :meth:`word` unless it is a name: behind a dot or AS even a reserved word is one."""
        return "" if self.spelled(place - 1) == "." or self.word(place - 1) == "AS" else self.word(place)

    def after(self, place: int) -> int:
        """Return the next place on the same level: behind the closing bracket, where one opens here."""
        return max(place, self.partner.get(place, place)) + 1

    def level(self, place: int, end: int) -> Iterator[int]:
        """Yield the places from ``place`` to before ``end`` that are in no bracket opened there."""
        while place < end:
            yield place
            place = self.after(place)

    def error(self, message: str, place: int, last: int | None = None) -> ClauseError:
        """Return the error that points at the tokens from ``place`` to ``last``; at the end of the text, at its last one."""
        place = min(place, len(self.tokens) - 1)
        return _error(message, self.text, self.start(place), self.stop(place if last is None else last))

    def mistake(
        self,
        problem: str,
        instead: str,
        place: int,
        last: int | None = None,
        *,
        first: int | None = None,
        shown: int | None = None,
    ) -> CorrectableError:
        """Return the error that points at the tokens from ``place`` to ``last``, and knows what was probably meant.

        Parameters
        ----------
        problem : str
            What is wrong, and a hint in case that there is more wrong than can be corrected.
        instead : str
            What was meant in the place of these tokens.
        place, last : int
            The tokens; by default one.
        first : int, optional
            The token in front of ``place`` from which on ``instead`` replaces the text.
        shown : int, optional
            The last token that the error shows, where it is not the last one that is replaced.
        """
        end = place if last is None else last
        pointed = self.error(problem, place, end if shown is None else shown)
        return CorrectableError(
            problem, pointed, self.text, self.start(place if first is None else first), self.stop(end), instead
        )


def is_mentioned(text: str) -> bool:
    """Return whether a text may hold a clause or a statement about policies: one of their words stands anywhere in it."""
    if _WORD.search(text):
        return True
    first = _POLICY_WORDS[0].search(text)
    return first is not None and _POLICY_WORDS[1].search(text, first.end()) is not None


def _is_skipped(gap: str) -> bool:
    """Return whether DuckDB sees nothing but blanks and whole comments in the text between two tokens."""
    depth = place = 0
    while place < len(gap) and not gap.isspace():
        pair = gap[place : place + 2]
        if pair == "/*" or (pair == "*/" and depth):
            depth += 1 if pair == "/*" else -1
            place += 2
        elif pair == "--" and not depth:
            place += len(re.split("[\r\n]", gap[place:], maxsplit=1)[0])
        elif depth or gap[place].isspace():
            place += 1
        else:
            return False
    return depth == 0


def _unreadable(text: str) -> ClauseError:
    word = _WORD.search(text) or _POLICY_WORDS[0].search(text)
    start, stop = word.span() if word else (0, len(text))
    problem = "the SQL text cannot be parsed; hint: close every quote and comment, or put spaces between symbols"
    return _error(problem, text, start, stop)


def _error(message: str, text: str, start: int, stop: int) -> ClauseError:
    line = text.count("\n", 0, start) + 1
    return ClauseError(message, line=line, column=start - text.rfind("\n", 0, start), text=text[start:stop])
