"""The command that releases a table that grows: ``kanon append``."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.anonymize import anonymize, policy_in_file, policy_of
from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import DIALECT, assigned, column_names, dialect_options, given_options, require_guarantee, show
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.terminal import progress
from kanon_sql.engines.duckdb.files.spilling import private_spilling
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.append_options import APPEND_CHOICES, APPEND_DEFAULTS

if TYPE_CHECKING:
    from pathlib import Path

    from kanon_sql.engines.duckdb.append.batch import Batch
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.model.policy import Policy
    from kanon_sql.model.stored_policy import StoredPolicy

_OF_FILES = (
    "source", "policy_file", "target", "row_order", "table", *DIALECT, "beside", "certificate",
    "ending", "force", "as_json", "escape_formulas", "known_rows",
)  # fmt: skip
"""What `anonymize` takes because it writes a file, or that a release that grows cannot have."""

_SOURCE = "kanon_source"
"""The database and the table of a file."""

_OF_ANY_POLICY = ("secret", "strict", "quiet", "allowed_files")
"""What `anonymize` takes that is no part of a policy."""

_POLICY = tuple(each for each in anonymize.params if each.name not in _OF_FILES)


@click.command(cls=GroupedCommand, params=[*_POLICY])
@click.argument("source", metavar="SOURCE")
@click.argument("release", metavar="RELEASE")
@click.option(
    "--key",
    multiple=True,
    required=True,
    metavar="A,B",
    help="Columns that identify a row; released only if the policy releases them.",
)
@click.option(
    "--policy", "stored", metavar="NAME", help="Policy stored in the database, or a policy file (FILE or FILE::NAME)."
)
@click.option(
    "--leftover",
    type=click.Choice(APPEND_CHOICES["leftover"]),
    default=APPEND_DEFAULTS["leftover"],
    show_default=True,
    help="What to do with rows whose quasi-identifiers would all be suppressed.",
)
@click.option(
    "--changed",
    type=click.Choice(APPEND_CHOICES["changed"]),
    default=APPEND_DEFAULTS["changed"],
    show_default=True,
    help="What to do with rows that changed after their release; ignore keeps the released version.",
)
@click.option(
    "--deleted",
    type=click.Choice(APPEND_CHOICES["deleted"]),
    default=APPEND_DEFAULTS["deleted"],
    show_default=True,
    help="What to do with released rows that were deleted from SOURCE.",
)
@click.option(
    "--returning",
    type=click.Choice(APPEND_CHOICES["returning"]),
    default=APPEND_DEFAULTS["returning"],
    show_default=True,
    help="What to do with new rows of people who are already in RELEASE.",
)
@dialect_options
@click.pass_context
def append(
    context: click.Context,
    /,
    source: str,
    release: str,
    key: tuple[str, ...],
    stored: str | None,
    drop: tuple[str, ...],
    dialect: Dialect,
    secret: bytes | None,
    strict: bool,
    quiet: bool,
    allowed_files: tuple[str, ...],
    weights: tuple[str, ...],
    recodings: tuple[str, ...],
    **options: Any,
) -> None:
    """Release the new rows in SOURCE as the next batch of RELEASE.

    SOURCE is a database table or view, written as FILE.duckdb::TABLE, or a file that contains all rows so far. RELEASE is a
    table in the same database, or FILE.duckdb::TABLE; the first batch creates the table. A ledger in the database records the
    released rows as keyed hashes.

    Rows that do not fit any class wait for a later batch. If there are no new rows, the command succeeds and writes nothing.
    """
    import kanon_sql
    from kanon_sql.engines.duckdb.append.steps import Append
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.model.policy_file import ENDINGS

    choices = {name: options.pop(name) for name in APPEND_CHOICES}
    if stored is None:
        require_guarantee(options)
    else:
        _refuse_second_policy(context)
    origin = Place.of(source, dialect=dialect)
    origin.require()
    apart = origin.kind != "duckdb"
    home, name = _home(origin, release)
    table = f"{_SOURCE}.main.{_SOURCE}" if apart else _name(origin)
    given = {"weights": assigned(weights, "--weight", "column=number"), **options}
    given["recodings"] = assigned(recodings, "--recode", "column=DIGITS")
    con = kanon_sql.connect(str(home), secret=secret, allowed_files=allowed_files)

    def policy(columns: list[str]) -> Policy | StoredPolicy | str:
        if stored is None:
            return policy_of(columns, **given)
        return policy_in_file(stored) if stored.partition("::")[0].lower().endswith(ENDINGS) else stored

    def work() -> Batch:
        with closing(con):
            if apart:
                _read(con, origin)
            columns = [row[0] for row in con.execute(f"DESCRIBE FROM {table}").fetchall()]
            con.watch(lambda moment: step("solving", moment))
            job = Append(con, con.session, strict=strict, surface="command" if stored is None else "policy", **choices)
            return job.run(
                table,
                name,
                key=column_names(key, columns),
                policy=policy(columns),
                drop=column_names(drop, columns) if stored is None else None,
                options={},
                apart=apart,
            )

    with private_spilling(str(home), con), progress(not quiet) as step:
        batch = interruptible(con.interrupt, work, finish=con.finish, patience=PATIENCE)
    if not quiet:
        figures = batch.figures()
        figures.pop("warnings", None)  # on the screen already
        show(figures.items())


def _name(place: Place) -> str:
    from kanon_sql.engines.duckdb.names import qualified

    return qualified(place.name)


def _home(origin: Place, release: str) -> tuple[Path, str]:
    """Return the database of the release, and its name in it."""
    from kanon_sql.engines.duckdb.files.places import Place

    if origin.kind != "duckdb":
        if "::" not in release:
            raise SourceError(
                f"{origin.path.name} is a file, so RELEASE must include a database; hint: write released.duckdb::{release}"
            )
        place = Place.of(release)
        return place.path, _name(place)
    place = Place.of(release if "::" in release else f"{origin.path}::{release}")
    if place.path != origin.path:
        raise SourceError(
            "SOURCE and RELEASE are in different databases; hint: append to a table in the source database, then export it"
        )
    return origin.path, _name(place)


def _read(con: Any, origin: Place) -> None:
    """Read a file into a database in memory, next to that of the release."""
    from kanon_sql.engines.duckdb.files.tables import load

    current = con.execute("SELECT system.main.current_database()").fetchall()[0][0]
    con.execute(f"ATTACH ':memory:' AS {_SOURCE}; USE {_SOURCE}")
    for remark in load(con, origin, into=_SOURCE):
        click.echo(remark, err=True)
    con.execute(f"USE {quoted(current)}")


def _refuse_second_policy(context: click.Context) -> None:
    given = given_options(context, [each for each in _POLICY if each.name not in _OF_ANY_POLICY])
    if given:
        raise PolicyError(f"--policy cannot be combined with {', '.join(given)}; hint: omit --policy or these options")
