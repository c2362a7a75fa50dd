"""Tokens in the place of identifiers: computed again with the secret, or without it compared by the rows that they have.

With the secret, the identifiers of the source become the tokens that they should have, and everything else is checked as of any
other column that is released unchanged. Without it, identifiers and tokens alike become the number of a *group*: those whose
rows are the same in all columns that are released unchanged have one number, in the source and in the release.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.names import identifier_text, quoted
from kanon_sql.errors import AuditError, PolicyError, UnknownColumnError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.secret import PSEUDONYMS, VARIABLE, Secret, secret_of
from kanon_sql.model.validation import same_name

_GROUPS = '"kanon#groups"'
"""Table of identifiers and tokens with the number of their group; ``side`` 0 is the source, 1 the release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pseudonyms:
    """The columns of a release that show tokens."""

    columns: tuple[str, ...] = ()  # their names, as the source spells them
    secret: Secret | None = None  # the secret of the release; None where it is not at hand

    @classmethod
    def of(cls, con: Any, names: Sequence[str], policy: Policy, secret: bytes | None) -> Pseudonyms:
        """Return the columns that are named; the secret is that which is given, else that of the environment, if there is one.

        Parameters
        ----------
        con : connection
            A DuckDB connection with the tables ``source`` and ``released``.
        names : sequence of str
            Columns of both.
        policy : Policy
            Resolved.
        secret : bytes, optional
            The secret of the release.

        Raises
        ------
        UnknownColumnError
            When a column is not there.
        PolicyError
            When a column has another role than to be released unchanged.
        """
        spelled = {same_name(name): name for name in columns(con, "source")}
        roles = (*(qi.column for qi in policy.quasi_identifiers), *policy.sensitive, *policy.dropped)
        taken = set(map(same_name, roles))
        for name in names:
            if same_name(name) not in spelled:
                raise UnknownColumnError.of(name, list(spelled.values()), "--pseudonym")
            if same_name(name) in taken:
                raise PolicyError(f'the pseudonym "{name}" has a second role in the policy; hint: remove that role')
        known = secret_of(secret) if secret is not None or os.environ.get(VARIABLE) is not None else None
        return cls(columns=tuple(spelled[key] for key in dict.fromkeys(map(same_name, names))), secret=known)

    def replace_identifiers(self, con: Any) -> None:
        """Replace identifiers in ``source`` by their tokens, or by their texts where there is no secret.

        Raises
        ------
        AuditError
            When the release shows something else than tokens, or tokens of no identifier of the source.

        Notes
        -----
        One HMAC-SHA256 for each distinct identifier.
        """
        for name in self.columns:
            self._refuse_other_texts(con, name)
            if self.secret is None:
                _replace(con, "source", name, f"system.main.decode({_bytes(f'kept.{quoted(name)}')})", "")
            else:
                self._compute_tokens(con, name, self.secret)

    def compare_rows(self, con: Any, unchanged: Sequence[str]) -> None:
        """Replace identifiers and tokens by the number of their group, where there is no secret.

        Parameters
        ----------
        con : connection
            A DuckDB connection with both tables, whose columns have the same types.
        unchanged : sequence of str
            The columns that are released unchanged, tokens included.

        Raises
        ------
        AuditError
            When tokens are more or fewer than identifiers, or have other rows.

        Notes
        -----
        O(n log n) for n rows.
        """
        if self.secret is not None:
            return
        for place, name in enumerate(self.columns):
            # of the other columns of tokens, those that are numbers already
            others = ", ".join(quoted(each) for each in unchanged if each not in self.columns[place:])
            key = f"system.main.create_sort_key(system.main.row({others}), 'ASC NULLS FIRST')" if others else "''::BLOB"
            sides = " UNION ALL ".join(
                f"""SELECT {side} AS side, {_bytes(quoted(name))} AS token,
                    system.main.list({key} ORDER BY {key} ASC NULLS FIRST) AS held
                FROM {table} WHERE {quoted(name)} IS NOT NULL GROUP BY ALL"""  # noqa: S608
                for side, table in enumerate(("source", "released"))
            )
            con.execute(
                f"""CREATE OR REPLACE TEMP TABLE {_GROUPS} AS SELECT side, token,
                    system.main.dense_rank() OVER (ORDER BY held ASC NULLS FIRST) AS number FROM ({sides})"""  # noqa: S608
            )
            _require_same_groups(con, name)
            for side, table in enumerate(("source", "released")):
                same = f"held.token = {_bytes(f'kept.{quoted(name)}')}"
                join = f"LEFT JOIN {_GROUPS} AS held ON held.side = {side} AND {same}"
                _replace(con, table, name, "held.number", join)

    def described(self) -> dict[str, str]:
        """Return what was checked of tokens, and what was not."""
        if not self.columns:
            return {}
        names = ", ".join(self.columns)
        if self.secret is not None:
            return {
                "pseudonyms": f"{names}: computed again with the secret; each was compared together with the "
                "other columns of its identifier"
            }
        return {
            "pseudonyms": f"{names}: as many tokens as identifiers, each with as many rows, which agree in all "
            "columns released unchanged. Not checked without the secret (--secret-file, KANON_SECRET): whether each token is "
            "computed from its identifier, and the assignment among identifiers with identical rows"
        }

    def _refuse_other_texts(self, con: Any, name: str) -> None:
        column, key = quoted(name), _bytes(quoted(name))
        strange, own = con.execute(
            f"""SELECT system.main.count(*) FILTER (NOT {_is_token(column)}),
                system.main.count(*) FILTER ({key} IN (SELECT {key} FROM source WHERE {column} IS NOT NULL))
            FROM released WHERE {column} IS NOT NULL"""  # noqa: S608
        ).fetchall()[0]
        if strange:
            raise AuditError(
                f'{how_many(strange, "cell")} in the released column "{name}" '
                f"{'is not a token' if strange == 1 else 'are not tokens'} of 32 hexadecimal digits"
            )
        if own:
            raise AuditError(
                f'{how_many(own, "cell")} in the released column "{name}" {"shows" if own == 1 else "show"} '
                "identifiers from the source"
            )

    def _compute_tokens(self, con: Any, name: str, secret: Secret) -> None:
        import pyarrow as pa

        column = quoted(name)
        known = f"SELECT DISTINCT {_identifier(column)} AS key FROM source WHERE {column} IS NOT NULL"  # noqa: S608
        keys = con.sql(known).to_arrow_table().column("key")
        tokens = pa.array(secret.tokens(PSEUDONYMS, keys.to_pylist()), pa.string())
        con.register("kanon#tokens", pa.table({"key": keys, "token": tokens}))
        try:
            join = f'LEFT JOIN "kanon#tokens" AS tokens ON tokens.key = {_identifier(f"kept.{column}")}'
            _replace(con, "source", name, "tokens.token", join)
        finally:
            con.unregister("kanon#tokens")
        foreign = con.execute(
            f"""SELECT system.main.count(DISTINCT {column}) FROM released
            WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT {column} FROM source WHERE {column} IS NOT NULL)"""  # noqa: S608
        ).fetchall()[0][0]
        if foreign:
            raise AuditError(
                f'{foreign} tokens in the released column "{name}" match no identifier in the source under this '
                "secret; hint: pass the release's secret in --secret-file or KANON_SECRET; without a secret, tokens are "
                "compared by their rows"
            )


def refuse_unnamed(con: Any, pseudonyms: Pseudonyms, unchanged: Sequence[str]) -> None:
    """Refuse a release in which a column shows tokens that was not named: they are no values of the source.

    Raises
    ------
    AuditError
        The error names the column.
    """
    for name in unchanged:
        if name not in pseudonyms.columns and _all_tokens(con, "released", name) and not _all_tokens(con, "source", name):
            raise AuditError(f'the released column "{name}" shows tokens instead of values; hint: pass --pseudonym {name}')


def _all_tokens(con: Any, table: str, name: str) -> bool:
    """Tell whether each cell of a column that is not empty shows a token, and one does."""
    query = f"SELECT system.main.bool_and({_is_token(quoted(name))}) FROM {table}"  # noqa: S608
    return bool(con.execute(query).fetchall()[0][0])


def _require_same_groups(con: Any, name: str) -> None:
    """Refuse tokens that are more or fewer than the identifiers, or have other rows."""
    identifiers, tokens = con.execute(
        f"SELECT system.main.count(*) FILTER (side = 0), system.main.count(*) FILTER (side = 1) FROM {_GROUPS}"  # noqa: S608
    ).fetchall()[0]
    if identifiers != tokens:
        raise AuditError(f'the released column "{name}" has {tokens} tokens, but the source has {identifiers} identifiers')
    other = con.execute(
        f"""SELECT coalesce(system.main.sum(system.main.greatest(0, tokens - identifiers)), 0)
        FROM (SELECT system.main.count(*) FILTER (side = 0) AS identifiers, system.main.count(*) FILTER (side = 1) AS tokens
              FROM {_GROUPS} GROUP BY number)"""  # noqa: S608
    ).fetchall()[0][0]
    if other:
        raise AuditError(f'{other} tokens in the released column "{name}" have rows that match no identifier in the source')


def _is_token(column: str) -> str:
    return f"system.main.regexp_full_match(CAST({column} AS VARCHAR), '[0-9a-f]{{32}}')"


def _bytes(column: str) -> str:
    """Return the text of a column by its bytes, whatever its collation."""
    return f"system.main.encode(CAST({column} AS VARCHAR))"


def _identifier(column: str) -> str:
    """Return the bytes of which the token of an identifier is made."""
    return f"system.main.encode({identifier_text(column)})"


def _replace(con: Any, table: str, name: str, value: str, join: str) -> None:
    column = quoted(name)
    con.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT kept.* REPLACE ({value} AS {column}) FROM {table} AS kept {join}")  # noqa: S608
