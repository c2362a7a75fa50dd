"""The commands that look for a policy: ``kanon profile`` and ``kanon suggest``.

A suggested policy in the place of an older one is no weaker, and what it changes is shown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import closing
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import dialect_options, json_option, show, table_option, text_of
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.streams import format_option, read_table, source_place
from kanon_sql.cli.terminal import lines_of
from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model import policy_file
from kanon_sql.model.how_many import how_many
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.template import TEMPLATES
from kanon_sql.model.validation import as_identifier, same_name

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.model.suggested_policy import Suggestion

_NAMES = ("column", "type", "distinct", "NULL", "unique", "role", "reason")


@click.command(cls=GroupedCommand)
@click.argument("file", metavar="FILE")
@table_option
@dialect_options
@format_option
@json_option
def profile(file: str, table: str | None, dialect: Dialect, ending: str, as_json: bool) -> None:
    """Describe the columns of a table.

    Shows the type, counts and likely role of each column in FILE, but no cell values.
    """
    import duckdb
    from rich.console import Console

    from kanon_sql.engines.duckdb.files.tables import columns
    from kanon_sql.engines.duckdb.guarantees import audit_macros

    con = audit_macros(duckdb.connect(), ("profile",))

    def work() -> list[tuple[Any, ...]]:
        with closing(con):
            read_table(con, place, look=True)
            found = {row[0]: row for row in con.execute("FROM profile('source')").fetchall()}
            return [found[name] for name in columns(con, "source")]

    with source_place(file, table, ending, dialect) as place:
        rows = interruptible(con.interrupt, work, patience=PATIENCE)
    count = rows[0][5]
    if as_json:
        reported = [dict(zip(_NAMES, (*row[:5], *row[6:]), strict=True)) for row in rows]
        click.echo(json.dumps({"rows": count, "columns": reported}))
        return
    console = Console(highlight=False)
    shown = lines_of(_NAMES, ((*row[:5], *row[6:]) for row in rows), title=how_many(count, "row"))
    for column in shown.columns[1:-1]:  # a narrow terminal folds names and reasons
        column.no_wrap = True
    console.print(shown)


@click.command(cls=GroupedCommand)
@click.argument("file", metavar="TABLE")
@click.option(
    "-o", "--output", "target", metavar="POLICY", help="A .yaml, .json or .sql file.  [default: SQL on standard output]"
)
@click.option("--k", type=int, metavar="K", help="Minimum number of rows per class.  [default: 5, or the k of the template]")
@click.option("--template", metavar="NAME", help=f"Start from a template: {', '.join(TEMPLATES)}.")
@click.option("--queries", metavar="FILE.sql", help="SELECT statements that determine the weights and levels.")
@click.option("--name", default="suggested", show_default=True, metavar="NAME", help="Name of the policy.")
@table_option
@dialect_options
@click.option("--force", is_flag=True, help="Replace existing files.")
@json_option
def suggest(
    file: str,
    target: str | None,
    k: int | None,
    template: str | None,
    queries: str | None,
    name: str,
    table: str | None,
    dialect: Dialect,
    force: bool,
    as_json: bool,
) -> None:
    """Suggest a policy for a table.

    TABLE is a file or FILE.duckdb::TABLE. Each column gets a role, with a reason that contains no cell values.

    If people seem to have several rows, the guarantee counts people. An unrecognized column may get no role;
    it is not released until you assign one.
    """
    import duckdb

    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.engines.duckdb.policies.suggestion import suggestion
    from kanon_sql.model.policy_file import kind_of, written

    place = Place.of(file, table, dialect)
    ending = None if target is None or target.lower().endswith(".sql") else kind_of(target, ".sql")
    if target is not None and Path(target).exists() and not force:
        raise SourceError(f"{target} exists; hint: pass --force to replace it")
    queried = None if queries is None else text_of(queries)
    con = duckdb.connect()

    def work() -> Suggestion:
        with closing(con):
            read_table(con, place, look=True)
            options = {"template": template, "queries": queried}
            return suggestion(con, "source", k=k, name=name, table_as=stored_as(place), **options, known=True)

    found = interruptible(con.interrupt, work, patience=PATIENCE)
    text = found.sql if ending is None else written([found.policy], ending, _comments(found))
    if target is not None:
        changed = differences(target, text, found.policy)
        put_text(text, Path(os.path.realpath(target)), replace=force)
        if changed:
            show([("changed", line) for line in changed], err=True)
    if as_json:
        roles = [{"column": each.column, "role": each.role, "reason": each.reason} for each in found.roles]
        reported = {"written": target, "policy": text if target is None else None, "columns": roles, "notes": list(found.notes)}
        reported["undecided"] = list(found.undecided)
        click.echo(json.dumps(reported))
        return
    if target is None:
        click.echo(text, nl=False)
        return
    notes = [("note", each) for each in found.notes]
    if found.undecided:
        notes.append(
            ("decide", f"{', '.join(found.undecided)}: add a role in {target}; columns without a role are not released")
        )
    show([("written", target), *((each.column, f"{each.role}: {each.reason}") for each in found.roles), *notes])


def _comments(found: Suggestion) -> list[str]:
    """Return what a YAML file says about its columns: why each has its role, and which have none yet."""
    reasons = [f"{each.column}: {each.role}, {each.reason}" for each in found.roles if each.column not in found.undecided]
    if not found.undecided:
        return reasons
    return [
        *reasons,
        "Add these columns to identifiers, quasi_identifiers or kept. Until then, they are not released.",
        *found.questions,
    ]


def stored_as(place: Place) -> str:
    """Return the table that the policy is for, as SQL spells it: that of a database, or one called as the file is."""
    from kanon_sql.model.validation import as_identifier

    if place.table is not None:
        return ".".join(map(as_identifier, place.name[-1:] if place.name[0] == "main" else place.name))
    return as_identifier(place.path.name[: -len(place.ending)])


def differences(target: str, text: str, found: StoredPolicy) -> list[str]:
    """Return the lines that a new text changes in a file, none if there is no such file yet.

    Parameters
    ----------
    target : str
        The file.
    text : str
        Its new text.
    found : StoredPolicy
        What the text says.

    Raises
    ------
    PolicyError
        When the file has a policy of that name with a larger k, or one that counts people if the new one does not.
    """
    if not Path(target).exists():
        return []
    before = policy_file.text_of(target)
    if Path(target).suffix.lower() in policy_file.ENDINGS:
        _refuse_weaker(target, policy_file.read(before, target), found)
    return _changed(before.splitlines(), text.splitlines())


def _refuse_weaker(target: str, policies: Iterable[object], found: StoredPolicy) -> None:
    for each in policies:
        if not isinstance(each, StoredPolicy) or same_name(each.name) != same_name(found.name):
            continue
        old, new = each.policy, found.policy
        if old.least_class_size > new.least_class_size:
            least = old.least_class_size
            raise PolicyError(
                f"{target} guarantees k >= {least}, but the new policy guarantees only "
                f"k >= {new.least_class_size}; hint: pass --k {least}, or choose a different -o"
            )
        if old.people is not None and new.people is None:
            per = as_identifier(old.people.per)
            raise PolicyError(f"{target} counts people PER {per}, but the new policy counts rows; hint: choose a different -o")


def _changed(before: list[str], after: list[str]) -> list[str]:
    lines = unified_diff(before, after, n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]
