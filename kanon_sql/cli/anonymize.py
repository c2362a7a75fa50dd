"""The command that releases a table: ``kanon anonymize``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.linked_file import histories_requested, link_file, refuse_with_histories, stored_histories
from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import (
    allow_file_option,
    assigned,
    column_names,
    drop_option,
    given_options,
    keep_option,
    known_option,
    per_row_option,
    permitted_masks,
    qi_option,
    require_guarantee,
    secret_option,
    sensitive_options,
)
from kanon_sql.cli.publication import OUTPUT, Output, output_options, publication
from kanon_sql.cli.publish import metric_and_hierarchy, population_table, release_file

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.connect.connection import Connection
    from kanon_sql.model.policy import Policy
    from kanon_sql.model.stored_policy import StoredPolicy

    Released = Callable[[Connection, list[str]], tuple[Policy, str]]


@click.command(cls=GroupedCommand)
@click.argument("source", metavar="IN")
@click.option(
    "--policy",
    "policy_file",
    metavar="FILE",
    help="Policy file (.yaml or .json); FILE::NAME selects one policy. Replaces the options for roles and guarantees.",
)
@click.option(
    "-o",
    "--output",
    "target",
    required=True,
    metavar="OUT",
    help="Where to write the release; the extension determines the format.",
)
@qi_option
@click.option(
    "--k",
    type=int,
    metavar="K",
    help="Minimum number of rows (with --per: people) per class.  [default: 2 with other guarantees, 1 with --k-map or "
    "--presence]",
)
@known_option
@click.option(
    "--per", metavar="A", help="Count people, identified by this column, instead of rows. This column is not released."
)
@per_row_option
@click.option(
    "--known-rows",
    type=click.IntRange(1, 3),
    metavar="M",
    help="Link each person's rows (--per) with tokens; any M rows that an attacker knows match at least --k people.",
)
@sensitive_options
@click.option("--k-map", type=int, metavar="K", help="Minimum number of --population rows that match each class (k-map).")
@click.option(
    "--presence",
    metavar="DELTA",
    help="Maximum probability that a person in --population is in the table, such as 0.2 (delta-presence).",
)
@click.option(
    "--population",
    metavar="FILE",
    help="Population table for --k-map and --presence; must contain the quasi-identifiers.",
)
@click.option(
    "--mask",
    "masks",
    multiple=True,
    metavar="A,B",
    help="Columns that may be shown together, such as 'zip IN DIGITS (3),age'; repeatable. '' shows no column. 'zip,age "
    "COST 2' sets the cost of a row with this mask; then every mask needs a cost.  [default: every combination]",
)
@click.option("--linked", multiple=True, metavar="A,B", help="Columns to suppress together or not at all; repeatable.")
@keep_option
@drop_option
@click.option(
    "--unlisted-limit",
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="Without --keep: maximum share of rows that a column without a role may single out.",
)
@click.option("--strict", is_flag=True, help="On any warning, release nothing and exit with code 1.")
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="A=3",
    help="Cost of suppressing a cell in a column; repeatable.  [default: 1]",
)
@click.option(
    "--recode",
    "recodings",
    multiple=True,
    metavar="A=HOW",
    help="Generalize a column: 'zip=DIGITS', 'age=INTERVALS (5, 10)', 'job=HIERARCHY jobs'; repeatable.",
)
@click.option("--beside", multiple=True, metavar="NAME=FILE", help="Table used in --recode; repeatable.")
@click.option("--algorithm", default="auto", show_default=True, metavar="NAME", help="Algorithm to use.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Use the best release found within this time.")
@click.option(
    "--effort",
    type=click.Choice(["default", "fast", "thorough"]),
    default="default",
    show_default=True,
    help="How long to search. fast: a quarter of the default steps. thorough: eight times the default steps.",
)
@click.option("--seed", default=0, show_default=True, metavar="N", help="Random seed for the algorithm.")
@click.option(
    "--max-suppressed",
    metavar="SHARE",
    help="For --algorithm full_domain: maximum share of rows to suppress in addition to generalizing.  [default: 0]",
)
@click.option("--suppress", metavar="TEXT", help="Text for suppressed cells, such as '*'.  [default: NULL]")
@click.option(
    "--row-order",
    type=click.Choice(["shuffled", "source"]),
    default="shuffled",
    show_default=True,
    help="Order of the rows in OUT; the source order may reveal suppressed cells.",
)
@secret_option
@allow_file_option
@output_options
@click.pass_context
def anonymize(
    ctx: click.Context,
    /,
    source: str,
    policy_file: str | None,
    target: str,
    strict: bool,
    beside: tuple[str, ...],
    secret: bytes | None,
    allowed_files: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Anonymize a table: release IN as OUT.

    Every released row shares its quasi-identifiers with at least k - 1 other rows.

    With --sensitive, every class is also diverse in that column (--l) or close to the whole table (--t, --beta, --delta).

    IN and OUT are CSV, TSV, Parquet or JSON files, or database tables, written as FILE.duckdb::TABLE. IN may also be a URL or
    a glob pattern. A hyphen (-) means standard input or output.
    OUT is created only after the written data has been read back and audited.
    """
    from kanon_sql.engines.duckdb.files.places import Place

    known_rows = options.pop("known_rows")
    if known_rows is not None:
        refuse_with_histories(ctx)
    tables = {name: Place.of(file, dialect=output.dialect) for name, file in assigned(beside, "--beside", "name=file").items()}
    measures, others = metric_and_hierarchy(options.pop("metric"), options.pop("hierarchy"), output.dialect)
    if options["population"] is not None:
        options["population"], everybody = population_table(options["population"], output.dialect)
        others |= everybody
    if policy_file is None:
        if allowed_files:
            raise click.UsageError("--allow-file requires --policy; hint: omit --allow-file")
        require_guarantee(options)
        histories_of = None if known_rows is None else histories_requested(known_rows, options)
        released = _by_options({**options}, measures)
    else:
        _refuse_options(ctx)
        stored = policy_in_file(policy_file)
        released = _by_policy(stored)
        histories_of = None if stored.known_rows is None else stored_histories(stored)
    with publication(source, target, output) as job:
        if histories_of is not None:
            linked = link_file(job, histories_of, secret, strict=strict, surface="command" if policy_file is None else "json")
        else:
            proven = release_file(job, released, others | tables, secret=secret, allowed_files=allowed_files, strict=strict)
    if histories_of is not None:
        job.tell(linked, ())
    else:
        job.tell(proven, ("prices", "scale", "unit", "policy", "number"))


def _by_options(options: dict[str, Any], measures: dict[str, Any]) -> Released:
    """Return what makes the policy from the options of the command."""
    from kanon_sql.engines.duckdb.gather.sources import release_of_table
    from kanon_sql.model.dropped_columns import dropped_columns, remaining

    dropped = options.pop("drop")
    weights = assigned(options.pop("weights"), "--weight", "column=number")
    recodings = assigned(options.pop("recodings"), "--recode", "column=DIGITS")

    def released(con: Connection, columns: list[str]) -> tuple[Policy, str]:
        drop = column_names(dropped, columns)
        policy = policy_of(columns, weights=weights, recodings=recodings, **measures, **options)
        resolved = policy.resolve(remaining(columns, dropped_columns(drop, policy, columns)), "command")
        return resolved, release_of_table(con.session, "source", policy, drop, "command")

    return released


def policy_of(
    columns: list[str],
    *,
    qi: tuple[str, ...],
    masks: tuple[str, ...],
    linked: tuple[str, ...],
    keep: tuple[str, ...],
    weights: dict[str, str],
    recodings: dict[str, str],
    **options: Any,
) -> Policy:
    """Return the policy that the options of a command say of a table with these columns."""
    from kanon_sql.engines.written import read_masks, read_recodings
    from kanon_sql.model.policy import Policy

    if options["k"] is None:
        del options["k"]
    return Policy.of(
        quasi_identifiers=column_names(qi, columns) if qi else None,
        masks=read_masks(permitted_masks(masks, columns) if masks else None),
        linked=[column_names([group], columns) for group in linked],
        keep=column_names(keep, columns) if keep else None,
        weights=weights,
        recodings=read_recodings(recodings),
        **options,
    )


def policy_in_file(text: str) -> StoredPolicy:
    """Return a policy of a file of policies."""
    from kanon_sql.cli.script import read_input
    from kanon_sql.model.policy_file import choose
    from kanon_sql.model.policy_names import of_name

    return of_name(*choose(text, read_input))


def _by_policy(stored: StoredPolicy) -> Released:
    """Return what makes the policy from one of a file."""
    from kanon_sql.engines.duckdb.policies.stored_policies import under_policy

    def released(_con: Connection, columns: list[str]) -> tuple[Policy, str]:
        stored.check_columns(columns)
        query = under_policy("FROM source", stored, "kanon_plan_release", surface="json")
        return stored.policy_for(stored.released(columns)), query

    return released


_WITH_A_POLICY = frozenset({"source", "policy_file", "target", "strict", "beside", "secret", "allowed_files", *OUTPUT})
"""Parameters that are no part of a policy."""


def _refuse_options(ctx: click.Context) -> None:
    """Refuse options that the policy of a file has to say."""
    given = given_options(ctx, [each for each in ctx.command.params if each.name not in _WITH_A_POLICY])
    if given:
        raise click.UsageError(f"{given[0]} cannot be combined with --policy; hint: set it in the policy file")
