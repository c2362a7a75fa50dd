"""The command that publishes counts and sums: ``kanon protect``."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import (
    assigned,
    column_names,
    given_options,
    per_row_option,
    secret_file_option,
)
from kanon_sql.cli.protected_file import protect_file
from kanon_sql.cli.publication import Output, output_options, publication
from kanon_sql.cli.streams import STREAM

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.cells.arguments import TableArguments
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.model.stored_protection import StoredProtection


def _people(_ctx: click.Context, _param: click.Parameter, value: str) -> int:
    """Return how many people share what they know; the option takes the word that follows it for the number."""
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is not a number of people; hint: write --contributors=1, or put the option last")
    return int(value)


@click.command(cls=GroupedCommand)
@click.argument("source", metavar="IN")
@click.option(
    "-o",
    "--output",
    "target",
    required=True,
    metavar="OUT",
    help="Where to write the table; the extension determines the format.",
)
@click.option("--by", multiple=True, required=True, metavar="A,B", help="Key columns; repeatable.")
@click.option("--policy", "policy_file", metavar="FILE[::NAME]", help="Policy file; replaces --k and the other rules.")
@click.option("--measures", multiple=True, metavar="S=A", help="Add a sum S of column A; repeatable. The count is named n.")
@click.option("--k", default=5, show_default=True, metavar="K", help="No count between 1 and k - 1 can be derived.")
@click.option(
    "--grouping",
    type=click.Choice(["cube", "rollup", "plain"]),
    default="cube",
    show_default=True,
    help="cube: totals over all sets of keys. rollup: totals over the rightmost keys. plain: no totals.",
)
@click.option(
    "--recode",
    "recodings",
    multiple=True,
    metavar="A=LEVELS",
    help="Levels of a key: 'zip=DIGITS (5, 3, 0)', 'age=INTERVALS (5, 20)', 'age=CUTS (18, 65)'; repeatable.",
)
@click.option("--per", metavar="A", help="Count people, identified by this column, instead of rows.")
@per_row_option
@click.option("--p", "percent", multiple=True, metavar="S=10", help="Apply the p % rule to a sum; repeatable.")
@click.option("--dominance", multiple=True, metavar="S=1,0.8", help="Apply the dominance rule to a sum; repeatable.")
@click.option(
    "--show",
    "shown",
    multiple=True,
    metavar="A,B",
    help="Always show rows with these keys. '' means the total; A=x,B=y means a single row. Repeatable.",
)
@click.option("--hide", "hidden", multiple=True, metavar="A=x,B=y", help="Suppress the row with these key values; repeatable.")
@click.option("--impossible", multiple=True, metavar="A=x,B=y", help="Values that no person can have together; repeatable.")
@click.option(
    "--cost",
    default="cells",
    show_default=True,
    metavar="S",
    help="Cost of suppressing a secondary row: cells, n, parts, or the row's share of a --measures sum.",
)
@click.option(
    "--rows",
    type=click.Choice(["null", "absent"]),
    default="null",
    show_default=True,
    help="null: show suppressed rows with NULL. absent: omit them.",
)
@click.option(
    "--contributors",
    callback=_people,
    is_flag=False,
    flag_value="1",
    default="0",
    metavar="[M]",
    help="Also protect against attackers who are in the table, alone or in groups of up to M. Put the option last if you omit "
    "M.",
)
@click.option("--suppressed", is_flag=True, help="Add a column that is true for suppressed rows.")
@click.option("--algorithm", default="auto", show_default=True, metavar="NAME", help="Algorithm to use.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Use the best table found within this time.")
@click.option("--ledger", metavar="FILE.duckdb", help="Record the table in this database, so that later tables respect it.")
@click.option(
    "--earlier",
    type=click.Choice(["fixed", "ignore"]),
    default="fixed",
    show_default=True,
    help="fixed: respect earlier tables of the same people. ignore: disregard them; safe only if nobody sees both tables.",
)
@secret_file_option("File with the secret that seals the ledger.  [default: KANON_SECRET, else the user's secret]")
@output_options
@click.pass_context
def protect(
    ctx: click.Context,
    /,
    source: str,
    target: str,
    by: tuple[str, ...],
    policy_file: str | None,
    measures: tuple[str, ...],
    percent: tuple[str, ...],
    dominance: tuple[str, ...],
    shown: tuple[str, ...],
    hidden: tuple[str, ...],
    impossible: tuple[str, ...],
    grouping: str,
    recodings: tuple[str, ...],
    ledger: str | None,
    secret: bytes | None,
    output: Output,
    **options: Any,
) -> None:
    """Publish counts and sums from IN as OUT.

    No count between 1 and k - 1 can be derived from OUT. By default, suppressed rows show NULL in every count and sum.

    IN and OUT are CSV, TSV, Parquet or JSON files, or database tables, written as FILE.duckdb::TABLE. IN may also be a URL or
    a glob pattern. A hyphen (-) means standard input or output.
    OUT is created only after the table has been checked and the written data has been read back.

    If IN is a table in FILE.duckdb, the published table is recorded in that file. For other inputs, pass --ledger. Later
    tables about the same people are protected together with the recorded ones.
    """
    from kanon_sql.engines.duckdb.cells.arguments import TableArguments, check_columns

    policy = None if policy_file is None else _policy_of(ctx, policy_file)
    sums = assigned(measures, "--measures", "total=salary")
    percents = assigned(percent, "--p", "total=10")
    levels = assigned(recodings, "--recode", "zip=DIGITS (5, 3)")
    largest = {name: pair.split(",") for name, pair in assigned(dominance, "--dominance", "total=1,0.8").items()}

    def planned(columns: list[str]) -> tuple[TableArguments, Iterable[str]]:
        keys = column_names(by, columns)
        check_columns((*keys, *sums.values(), *([options["per"]] if options["per"] else [])), columns)
        rows = {
            "hide": tuple(_row(each, "--hide") for each in hidden),
            "impossible": tuple(_row(each, "--impossible") for each in impossible),
        }
        sets = tuple(
            _row(each, "--show") if "=" in each and each not in columns else tuple(column_names([each], columns))
            for each in shown
        )
        said = {**options, "p": percents, "dominance": largest, "show": sets, **rows} if policy is None else {}
        if policy is not None:
            policy.check_columns(columns)
        shape = {"measures": sums, "grouping": grouping, "recodings": levels}
        known_as = _known_as(job.origin)
        arguments = TableArguments(
            table="source", by=keys, **shape, policy=policy, options=said, surface="command", known_as=known_as
        )
        return arguments, sums.values()

    with publication(source, target, output) as job:
        proven = protect_file(job, planned, ledger=ledger, secret=secret, piped=source == STREAM)
    job.tell(proven, ("tabulation", "protection", "together", "number"))


def _row(text: str, option: str) -> dict[str, list[str]]:
    """Read a row by its values: a key may have several, each as A=x."""
    found: dict[str, list[str]] = {}
    for part in next(csv.reader([text], skipinitialspace=True), []):
        name, equals, value = part.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{part} has the wrong form; hint: write sex=F", param_hint=option)
        found.setdefault(name.strip(), []).append(value)
    return found


def _known_as(origin: Place) -> tuple[str, ...]:
    """Return the name of a source as a statement in its own database has it."""
    if origin.table is None:
        return (origin.called,)
    schema, name = origin.name
    return (name,) if schema.lower() == "main" else (schema, name)


_OF_POLICY = frozenset(
    {
        "k", "per", "per_row", "percent", "dominance", "shown", "hidden", "impossible", "cost", "rows", "contributors",
        "suppressed", "algorithm", "time_limit", "earlier",
    }
)  # fmt: skip
"""Parameters that a policy says."""


def _policy_of(ctx: click.Context, text: str) -> StoredProtection:
    """Return a policy of a file; refuse options that it has to say."""
    from kanon_sql.cli.script import read_input
    from kanon_sql.model.policy_file import choose
    from kanon_sql.model.policy_names import protection_of_name

    given = given_options(ctx, [each for each in ctx.command.params if each.name in _OF_POLICY])
    if given:
        raise click.UsageError(f"{given[0]} cannot be combined with --policy; hint: set it in the policy file")
    return protection_of_name(*choose(text, read_input))
