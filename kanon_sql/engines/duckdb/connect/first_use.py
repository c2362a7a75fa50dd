"""What a new database in memory puts off: functions and macros are made when a statement first needs them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.engines.duckdb.versions import BUSY

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.connect.session import Session

CLAUSES = re.compile("anonymi|protect", re.IGNORECASE)
"""What a statement with a clause of ours mentions."""

BLOCKS = re.compile(r"\bprotected\b", re.IGNORECASE)
"""What a text with BEGIN PROTECTED mentions."""

_PLAIN = re.compile(
    r"(?:\s|--[^\n]*\n)*(?:(?:alter|create|delete|drop|from|insert|select|update|values|with)\b"
    r"|set\s+(?:enable_progress_bar|enable_progress_bar_print|memory_limit|preserve_insertion_order|temp_directory|threads)\b)[^;]*;?\s*",
    re.IGNORECASE,
)
"""A single statement that neither lists functions nor changes where they are looked for."""

_REVEALING = re.compile(
    r"kanon(?!#)|duckdb|query\b|json|schema|function|macro|complete|pg_|\b(?:attach|begin|call|copy|database|execute|export|import|install"
    r"|load|prepare|start|transaction|use)\b",
    re.IGNORECASE,
)
"""Words with which a statement may list functions, run text that it makes, or reach another database."""

RELEASES = (
    *("k_anonymize", "l_diversify", "t_close", "beta_like", "delta_private", "k_map", "delta_present", "pattern_guided"),
    *("anonymize", "bin_labels", "region_labels", "rectangle_labels"),
)
"""The table functions that release or label rows: to ask `kanon_sql.udfs` for them takes longer than a small release."""

_CALLED = re.compile(r"""\b(?:anonymize|protect)\b"?\s*(?:\(|--|/\*)""", re.IGNORECASE)
"""The two words of a clause that are functions too."""

_FURTHER = re.compile("protect|polic|explain", re.IGNORECASE)
"""Words of statements that call other functions than a release while they are rewritten."""

_FUNCTION = re.compile(r"\bkanon_\w+")

_LONGEST = 10_000
"""Characters of a text that are looked through; before a longer one, everything is made."""


class FirstUse:
    """The functions and macros of a database in memory that only one connection reaches.

    Parameters
    ----------
    raw : DuckDBPyConnection
        The connection; nobody else may use it before `everything` is called.

    Notes
    -----
    To make all macros takes longer than a small release, which needs none of them. The functions are made through a second
    connection, since the first may be in the middle of a result.
    """

    def __init__(self, raw: duckdb.DuckDBPyConnection) -> None:
        self._raw = raw
        self._maker: duckdb.DuckDBPyConnection | None = None
        self._session: Session | None = None
        self._shared = False
        self._whole = False
        self._made: set[str] = set()
        self._over = False

    def session(self) -> Session:
        """Return the session; make it, and the functions that releases call, unless they are there."""
        from kanon_sql.engines.duckdb.connect.registration import REGISTERING, first_session
        from kanon_sql.engines.duckdb.connect.session import Session

        with REGISTERING:
            if self._session is None:
                try:
                    self._maker = self._raw.cursor()
                except duckdb.ConnectionException:  # it is closed, and released nothing
                    self._session = Session()
                else:
                    self._session = first_session(self._raw, self._maker)
            return self._session

    def functions(self) -> None:
        """Make all functions, unless they are there."""
        from kanon_sql.engines.duckdb.connect.registration import REGISTERING, further_functions

        with REGISTERING:
            session = self.session()
            if self._maker is not None and not self._whole:
                further_functions(self._maker, session)
                self._whole = True

    def called(self, sent: object) -> None:
        """Make all functions if a statement that was rewritten calls others than releases do."""
        if not self._whole and isinstance(sent, str):
            from kanon_sql.engines.duckdb.connect.registration import RELEASING

            if not RELEASING.issuperset(_FUNCTION.findall(sent)):
                self.functions()

    def everything(self) -> None:
        """Make all functions and macros, before somebody else uses the connection, which may be in the middle of a result."""
        self._everything(self._raw.sql)

    def _everything(self, execute: Callable[[duckdb.Statement], object]) -> None:
        if self._over:
            return
        from kanon_sql.engines.duckdb.connect.registration import REGISTERING, share_macros, temporary_macros

        with REGISTERING:
            self.functions()
            if not self._shared:
                share_macros(self._raw)
                self._shared = True
            try:
                temporary_macros(execute)
                self._over = True
            except BUSY:  # rows are still waited for: until those are read, the macros that all connections share are used
                pass

    def before(self, query: object) -> bool:
        """Make what a statement needs; return whether it runs without the functions."""
        if self._over:
            return False
        called = self._called(query)
        if called is None:
            self._let_go()
            self._everything(self._raw.execute)
        elif called or (_has_clause(query) and _FURTHER.search(str(query))):
            self.functions()
        elif _has_clause(query):
            self.session()
        if called and not called <= self._made:
            from kanon_sql.engines.duckdb.connect.registration import named_macros

            self._let_go()
            self._made |= named_macros(self._raw, called)
        return self._session is None

    def is_clause_alone(self, query: object) -> bool:
        """Return whether a statement has a clause and needs no macro."""
        return not self._over and _has_clause(query) and self._called(query) == set()

    def _called(self, query: object) -> set[str] | None:
        """Return the macros that a statement may call; None if that may be any, or if it may ask which there are."""
        if not isinstance(query, str) or self._shared or len(query) > _LONGEST:
            return None
        if not _PLAIN.fullmatch(query) or _REVEALING.search(query):
            return None
        called = set(re.findall(r"\w+", query.casefold())) & _names()
        return called if _CALLED.search(query) else called - {"anonymize", "protect"}

    def close(self) -> None:
        """Close the second connection."""
        if self._maker is not None:
            self._maker.close()

    def _let_go(self) -> None:
        """Let go of the rows of the last statement, as the next one does."""
        self._raw.execute("SELECT 1").fetchall()


def _has_clause(query: object) -> bool:
    return isinstance(query, str) and CLAUSES.search(query) is not None


@cache
def _names() -> frozenset[str]:
    """Return the names of our macros; those in plain SQL are called like their files."""
    folders = import_module("kanon_sql.sql").__path__
    return frozenset(
        {*RELEASES, "protect", "ledger_audit", *(path.stem for folder in folders for path in Path(folder).glob("*.sql"))}
    )
