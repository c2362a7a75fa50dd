"""``kanon policy``: stored policies from a database into a file, and back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kanon_sql.cli.options import allow_file_option
from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.errors import SourceError

if TYPE_CHECKING:
    from kanon_sql.model.policy_names import Stored


@click.group()
def policy() -> None:
    """Copy stored policies between databases and files."""


@policy.command(name="export")
@click.argument("db")
@click.option("-o", "--output", metavar="FILE", help="A .yaml or .json file.  [default: JSON on standard output]")
@click.option("--force", is_flag=True, help="Replace existing files.")
def export(db: str, output: str | None, force: bool) -> None:
    """Export the policies stored in the database DB."""
    import duckdb

    from kanon_sql.engines.duckdb.policies.stored_policies import Policies
    from kanon_sql.model.policy_file import kind_of, written

    ending = ".json" if output is None else kind_of(output)
    _require(db)
    if output is not None and Path(output).exists() and not force:
        raise SourceError(f"{output} exists; hint: pass --force to replace it")
    with duckdb.connect(db, read_only=True) as con:
        text = written(Policies(lambda query: con.sql(query).fetchall()).all, ending)
    if output is None:
        click.echo(text, nl=False)
        return
    put_text(text, Path(os.path.realpath(output)), replace=force, private=False)  # a policy is meant to be shared


@policy.command(name="import")
@click.argument("db")
@click.argument("file")
@click.option("--replace", is_flag=True, help="Replace policies with the same name.")
@allow_file_option
def import_(db: str, file: str, replace: bool, allowed_files: tuple[str, ...]) -> None:
    """Store the policies from FILE in the database DB, all or none."""
    from kanon_sql.cli.script import read_input
    from kanon_sql.model.policy_file import kind_of, read

    kind_of(file)
    _require(db)
    policies = read(read_input(file), file)
    _store(db, policies, replace, allowed_files)
    click.echo(f"{len(policies)} {'policy' if len(policies) == 1 else 'policies'} stored")


def _require(db: str) -> None:
    if not Path(db).is_file():
        raise SourceError(f"there is no database {db}; hint: check the path")


def _store(db: str, policies: Sequence[Stored], replace: bool, allowed_files: Sequence[str]) -> None:
    import kanon_sql
    from kanon_sql.engines.duckdb.policies.stored_policies import Policies

    with closing(kanon_sql.connect(db, allowed_files=allowed_files)) as con:
        con.execute("BEGIN")
        stored = Policies(lambda query: con.execute(query).fetchall(), con.session.allowed_files)
        for each in policies:
            con.execute(stored.create(each, replace=replace))
        con.execute("COMMIT")
