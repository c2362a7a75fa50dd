"""From file to file: rows that tokens link to people are written next to their place, read again, and only then put there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.options import DIALECT, column_names, given_options
from kanon_sql.cli.protected_file import compare
from kanon_sql.cli.publication import Solved
from kanon_sql.cli.terminal import without_bar
from kanon_sql.errors import AuditError
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from kanon_sql.certificate.history_certificate import HistoryCertificate
    from kanon_sql.cli.publication import Publication
    from kanon_sql.model.linked_histories import LinkedHistories
    from kanon_sql.model.stored_policy import StoredPolicy
    from kanon_sql.model.surfaces import Surface


GuaranteeOf = Callable[[list[str]], "LinkedHistories"]
"""Makes the guarantee of the columns of a source."""


def link_file(
    job: Publication, guarantee_of: GuaranteeOf, secret: bytes | None, *, strict: bool, surface: Surface
) -> HistoryCertificate:
    """Read, solve, audit, write, compare, publish.

    Parameters
    ----------
    guarantee_of : callable
        Makes the guarantee of the columns of the source; those without a role are not released.
    secret : bytes, optional
        The key of the tokens.
    strict : bool
        Whether a warning of the certificate is an error.
    """
    import kanon_sql
    from kanon_sql.engines.duckdb.connect.registration import session_of
    from kanon_sql.engines.duckdb.files.tables import columns
    from kanon_sql.engines.duckdb.histories.query import history_query
    from kanon_sql.engines.duckdb.names import quoted

    con = without_bar(kanon_sql.connect(secret=secret, config=job.spill))

    def solve(go_on: Callable[[], None]) -> Solved[HistoryCertificate]:
        names = columns(con, "source")
        guarantee = guarantee_of(names)
        roles = {same_name(name) for _, name in (*guarantee.roles.named_columns, ("", guarantee.per))}
        shown = ", ".join(quoted(name) for name in names if same_name(name) in roles)
        query = history_query(f"SELECT {shown} FROM source", guarantee, "FROM source", query=True, surface=surface)  # noqa: S608
        go_on()
        job.step("solving")
        con.watch(lambda moment: job.step("solving", moment))
        con.execute(f"CREATE TABLE released AS {query}")
        certificate = session_of(con.raw).linked_releases[-1]
        if strict and certificate.warnings:
            raise AuditError(f"--strict: {'; '.join(certificate.warnings)}; nothing was released")
        return Solved(certificate=certificate, rows="FROM {}", audit=lambda staged: compare(con, staged))

    return job.publish(con, solve)


_WITH_HISTORIES = frozenset(
    {"source", "target", "qi", "k", "per", "known_rows", "keep", "drop", "strict", "secret", "table", *DIALECT}
    | {"certificate", "ending", "force", "as_json", "quiet", "escape_formulas"}
)
"""Parameters that --known-rows supports."""


def refuse_with_histories(ctx: click.Context) -> None:
    """Refuse options that linked histories do not support, and ask for those that they need."""
    given = given_options(ctx, [each for each in ctx.command.params if each.name not in _WITH_HISTORIES])
    if given:
        raise click.UsageError(f"{given[0]} cannot be combined with --known-rows; hint: omit one of them")
    for name in ("per", "k", "qi"):
        if not ctx.params[name]:
            raise click.UsageError(
                f"--known-rows needs --{name}; hint: pass --per patient --qi ward,month --k 5 --known-rows 2"
            )


def stored_histories(stored: StoredPolicy) -> GuaranteeOf:
    """Return what makes the guarantee of the columns of a table under a policy with ``known_rows``."""

    def guarantee_of(columns: list[str]) -> LinkedHistories:
        stored.check_columns(columns)
        return stored.histories.within(stored.released(columns), str(stored))

    return guarantee_of


def histories_requested(known_rows: int, options: dict[str, Any]) -> GuaranteeOf:
    """Return what makes the guarantee of the columns of a table."""
    from kanon_sql.model.dropped_columns import dropped_columns, remaining
    from kanon_sql.model.linked_histories import LinkedHistories

    def guarantee_of(columns: list[str]) -> LinkedHistories:
        found = LinkedHistories(
            k=options["k"],
            per=options["per"],
            known_rows=known_rows,
            quasi_identifiers=column_names(options["qi"], columns),
            keep=column_names(options["keep"], columns) if options["keep"] else (),
        )
        drop = column_names(options["drop"], columns)
        return found.resolved(remaining(columns, dropped_columns(drop, found.roles, columns)), "command")

    return guarantee_of
