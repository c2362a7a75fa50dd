"""The command ``kanon``. Heavy imports stand inside the commands, so that ``kanon --help`` answers at once."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import Any, NoReturn

import click

from kanon_sql.cli.anonymize import anonymize
from kanon_sql.cli.append import append
from kanon_sql.cli.audit import audit
from kanon_sql.cli.audit_table import audit_table
from kanon_sql.cli.compare import compare
from kanon_sql.cli.frontier import frontier
from kanon_sql.cli.ledger import ledger
from kanon_sql.cli.ledger_audit import UNDECIDED
from kanon_sql.cli.options import UNMEASURED, allow_file_option, secret_option
from kanon_sql.cli.policies import policy
from kanon_sql.cli.protect import protect
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.release import release
from kanon_sql.cli.reports import report
from kanon_sql.cli.serve import serve
from kanon_sql.cli.studio import studio
from kanon_sql.cli.suggestions import profile, suggest
from kanon_sql.cli.terminal import shown_warnings, without_bar
from kanon_sql.cli.tune import tune
from kanon_sql.cli.verify import verify
from kanon_sql.engines.duckdb.files.spilling import private_spilling
from kanon_sql.engines.interrupt import interruptible, stopping_signals
from kanon_sql.errors import AuditError, nearest, raise_alone
from kanon_sql.model.printable import without_controls
from kanon_sql.model.synonyms import OPTIONS


def _fail(message: str, code: int = 1) -> NoReturn:
    click.echo(without_controls(f"error: {message}"), err=True)
    sys.exit(code)


class Kanon(click.Group):
    """A group whose commands end with one line ``error: ...`` and exit code 1, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; turn what went wrong into a line."""
        try:
            with stopping_signals(), shown_warnings():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("error: interrupted", err=True)
            sys.stdout.flush()
            # Work that did not stop would hold the interpreter, or crash it, at the usual exit.
            os._exit(1)
        except click.NoSuchOption as error:
            raise_alone(_meant(error))
        except (BrokenPipeError, click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from kanon_sql.engines.duckdb.connect.error_line import error_line

            _fail(error_line(error), _code(ctx, error))


def _meant(error: click.NoSuchOption) -> click.UsageError:
    """Return an error about an unknown option with the option that has this name elsewhere: click compares spellings only."""
    if error.possibilities or error.ctx is None:
        return error
    known = [name[2:] for each in error.ctx.command.params for name in each.opts if name.startswith("--")]
    near = nearest(error.option_name.removeprefix("--"), known, OPTIONS)
    message = f"No such option '{error.option_name}'. Did you mean '--{near}'?"
    return error if near is None else click.UsageError(message, error.ctx)


def _code(ctx: click.Context, error: Exception) -> int:
    """Return the exit code of a command that failed."""
    failed = {"audit": UNMEASURED, "audit-table": UNMEASURED, "ledger": UNDECIDED}
    return 1 if isinstance(error, AuditError) else failed.get(ctx.invoked_subcommand or "", 1)


@click.group(cls=Kanon, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="kanon-sql", prog_name="kanon")
def main() -> None:
    """Anonymize tables, publish counts, and check the results."""


@main.command()
@click.argument("file", metavar="FILE.sql")
@click.option("--db", default=":memory:", metavar="DB", help="DuckDB database to use.  [default: in-memory]")
@secret_option
@allow_file_option
def run(file: str, db: str, secret: bytes | None, allowed_files: tuple[str, ...]) -> None:
    """Run a file of SQL statements.

    The statements may use ANONYMIZE and PROTECT. Pass - to read standard input. The run stops at the first statement that
    fails. If COPY writes a release to FILE, the certificate is written to FILE.certificate.json.
    """
    from rich.console import Console

    import kanon_sql
    from kanon_sql.cli.script import read_input, run_script

    text = read_input(file)
    con = without_bar(kanon_sql.connect(db, secret=secret, allowed_files=allowed_files))
    with private_spilling(db, con):
        place = "stdin" if file == "-" else file
        run_script(con, text, Console(highlight=False), name=place, patience=PATIENCE, evidence=True)
        con.close()


@main.command()
@click.argument("db", default=":memory:")
@click.option("--read-only", is_flag=True, help="Open the database read-only.")
@secret_option
@allow_file_option
def shell(db: str, read_only: bool, secret: bytes | None, allowed_files: tuple[str, ...]) -> None:
    """Open an SQL shell, or run statements from standard input."""
    from rich.console import Console

    import kanon_sql
    from kanon_sql.cli.script import read_input
    from kanon_sql.cli.shell import Shell

    def connected(path: str, only_read: bool) -> Any:
        con = without_bar(kanon_sql.connect(path, secret=secret, allowed_files=allowed_files, read_only=only_read))
        stack.enter_context(private_spilling(path, con))
        return con

    person = sys.stdin.isatty()
    with ExitStack() as stack:
        talking = Shell(connected(db, read_only), Console(highlight=False), connected, patience=None if person else PATIENCE)
        try:
            if person:
                talking.talk()
            else:
                talking.run(read_input("-"), "stdin")
        finally:
            talking.con.close()


@main.command()
@click.option(
    "--rows",
    default=2000,
    show_default=True,
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    help="Number of visits to generate.",
)
@click.option("--k", default=5, show_default=True, metavar="K", help="Minimum number of patients per class.")
@click.option(
    "--seed", default=7, show_default=True, metavar="S", type=click.IntRange(0), help="Random seed for the generated table."
)
@click.option("--write", "folder", metavar="DIR", help="Write the table to visits.csv in this folder.")
def demo(rows: int, k: int, seed: int, folder: str | None) -> None:
    """Generate patient visits, release them, and explain the result."""
    from rich.console import Console

    import kanon_sql
    from kanon_sql.cli.demo import show
    from kanon_sql.cli.demo_table import write_visits

    if folder is not None:
        write_visits(folder, rows, seed)
    con = without_bar(kanon_sql.connect())

    def work() -> None:
        show(con, Console(highlight=False), rows=rows, k=k, seed=seed, folder=folder)

    interruptible(con.interrupt, work, finish=con.finish, patience=PATIENCE)
    con.close()


for command in (anonymize, protect, append, release, serve, studio, verify, audit, audit_table, policy, profile, suggest, tune):
    main.add_command(command)
for command in (report, compare, frontier, ledger):
    main.add_command(command)
