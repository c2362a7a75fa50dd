"""Options that several commands share, and how their values are read and figures shown."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from kanon_sql.cli.terminal import grid_of
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.requirements import THRESHOLD_OPTIONS, THRESHOLDS

_GUARANTEES = ("k", *(next(iter(each.options)) for each in THRESHOLDS), "k_map", "presence")
"""Options that say what is guaranteed."""

_COSTED = re.compile(r"(|.*[\s)\"])COST\s+(\S+)\s*", re.IGNORECASE | re.DOTALL)
"""A mask and its cost: the columns that are shown, maybe none, and a number."""

UNMEASURED = 3
"""Exit code of a check that could not measure or prove: 1 says that a claim or a guarantee is broken."""

F = TypeVar("F", bound=Callable[..., Any])

qi_option = click.option(
    "--qi", multiple=True, metavar="A,B", help="Quasi-identifiers; repeatable.  [default: all except the sensitive column]"
)

_SENSITIVE_OPTIONS = (
    click.option("--sensitive", metavar="A", help="Sensitive column, released unchanged."),
    *(click.option(f"--{name}", metavar=each.form, help=each.help) for name, each in THRESHOLD_OPTIONS.items()),
)

per_row_option = click.option(
    "--per-row", is_flag=True, help="Treat each row as a person, even if people seem to have several rows."
)

keep_option = click.option(
    "--keep",
    multiple=True,
    metavar="A,B",
    help="Columns to release unchanged; every other column then needs a role. '' means none. Repeatable.",
)

drop_option = click.option("--drop", multiple=True, metavar="A,B", help="Columns to remove from the release; repeatable.")

allow_file_option = click.option(
    "--allow-file",
    "allowed_files",
    multiple=True,
    metavar="FILE",
    help="A file or folder that a policy may read; repeatable.",
)

rows_option = click.option(
    "--rows",
    type=click.Choice(["null", "absent"]),
    default="null",
    show_default=True,
    help="null: FILE contains the suppressed rows. absent: FILE omits them, so a missing row may have any count.",
)
"""Of a published table."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")

table_option = click.option("--table", metavar="NAME", help="Table in a .duckdb file; equivalent to FILE.duckdb::NAME.")


def _known_encoding(_context: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    if name is None:
        return None
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise_alone(click.BadParameter(f"unknown encoding {name}; hint: use utf-8, latin-1, cp1252, cp1250 or utf-16"))


def _names(_context: click.Context, _option: click.Parameter, names: str | None) -> tuple[str, ...]:
    found = tuple(column_names([names or ""], []))
    if len({each.casefold() for each in found}) < len(found):
        raise click.BadParameter("a column name occurs twice; hint: give each column a different name")
    return found


def _forms(_context: click.Context, _option: click.Parameter, forms: tuple[str, ...]) -> tuple[str, ...]:
    for form in forms:
        if not all(part in form for part in ("%d", "%m")) or not ("%Y" in form or "%y" in form):
            raise click.BadParameter(f"{form} is not a date format; hint: write %d.%m.%Y to read 31.12.2024")
    return forms


def _one_sign(_context: click.Context, _option: click.Parameter, sign: str | None) -> str | None:
    sign = {"tab": "\t", "\\t": "\t", "semicolon": ";", "comma": ","}.get(sign or "", sign)
    if sign is not None and (len(sign) != 1 or sign in '"\n\r'):
        raise click.BadParameter("the separator must be one character; hint: pass --delimiter ';' or --delimiter tab")
    return sign


DIALECT = ("delimiter", "encoding", "names", "date_format", "decimal")
"""Parameters of `dialect_options`."""

_DIALECT = (
    click.option(
        "--delimiter",
        metavar="CHAR",
        callback=_one_sign,
        help="Field separator in CSV files, such as ';' or tab.  [default: detected]",
    ),
    click.option(
        "--encoding",
        metavar="NAME",
        callback=_known_encoding,
        help="Encoding of CSV files, such as cp1250.  [default: detected]",
    ),
    click.option("--names", metavar="A,B,...", callback=_names, help="Names of all columns, for CSV files without a header."),
    click.option(
        "--date-format",
        multiple=True,
        metavar="FORM",
        callback=_forms,
        help="Read CSV dates in this format, such as %d.%m.%Y; repeatable.",
    ),
    click.option(
        "--decimal",
        type=click.Choice([".", ","]),
        default=".",
        show_default=True,
        help="Decimal separator in CSV files. With ',', 1.234,5 is read as a number.",
    ),
)
"""How CSV files are written; what is written itself is UTF-8, with the separator of what was read."""


def dialect_options(command: F) -> F:
    """Give a command the options about CSV files, as one ``dialect``."""
    from kanon_sql.engines.duckdb.files.dialect import Dialect

    @wraps(command)
    def with_dialect(*arguments: Any, **options: Any) -> Any:
        delimiter, encoding, names, dates, decimal = (options.pop(name) for name in DIALECT)
        dialect = Dialect(delimiter=delimiter, encoding=encoding, names=names, dates=dates, decimal=decimal)
        return command(*arguments, dialect=dialect, **options)

    for option in reversed(_DIALECT):
        with_dialect = option(with_dialect)
    return with_dialect  # type: ignore[return-value]


def column_names(values: Iterable[str], columns: list[str]) -> list[str]:
    """Split comma lists of column names; a value that is itself a column is one name, and quotes protect commas."""
    found: list[str] = []
    for value in values:
        split = [value] if value in columns else next(csv.reader([value], skipinitialspace=True), [])
        found += [name if name in columns else name.strip() for name in split if name.strip()]
    return found


def permitted_masks(values: Iterable[str], columns: list[str]) -> list[list[str] | dict[str, Any]]:
    """Read masks such as ``zip,age``, or ``zip,age COST 2`` with what a row costs under it; a name of a column comes first."""
    found: list[list[str] | dict[str, Any]] = []
    for value in values:
        shown = column_names([value], columns)
        costed = None if shown and shown[-1] in columns else _COSTED.fullmatch(value)
        found.append(shown if costed is None else {"columns": column_names([costed[1]], columns), "cost": costed[2]})
    return found


def assigned(values: Iterable[str], option: str, form: str) -> dict[str, str]:
    """Read the values of an option of the form ``name=what``."""
    found = {}
    for value in values:
        name, equals, what = value.rpartition("=")
        if not equals or not name:
            raise click.BadParameter(f"{value} has the wrong form; hint: write {form}", param_hint=option)
        found[name] = what
    return found


def given_options(context: click.Context, parameters: Iterable[click.Parameter]) -> list[str]:
    """Return those of some options that were written on the command line."""
    written = click.core.ParameterSource.COMMANDLINE
    return [each.opts[0] for each in parameters if context.get_parameter_source(str(each.name)) is written]


def require_guarantee(options: Mapping[str, Any]) -> None:
    """Refuse to release anything under a guarantee that nobody has requested.

    Raises
    ------
    UsageError
        When no option of a command says what is guaranteed.
    """
    if all(options[name] is None for name in _GUARANTEES):
        hint = "pass --k 5 for classes of at least 5 rows; --l, --t, --beta and --delta also need --sensitive"
        raise click.UsageError(f"no guarantee is set; hint: {hint}")
    about = [f"--{name}" for name in THRESHOLD_OPTIONS if options.get(name) is not None]
    if about and options.get("sensitive") is None:
        raise click.UsageError(f"{about[0]} needs a sensitive column; hint: pass --sensitive disease")


def show(pairs: Iterable[tuple[str, object]], title: str | None = None, *, err: bool = False) -> None:
    """Print names and values side by side."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, stderr=err)
    if title:
        console.print(Text(title, style="bold"))
    console.print(grid_of(pairs))


def sensitive_options(command: Any) -> Any:
    """Give a command the options about a sensitive column."""
    for option in reversed(_SENSITIVE_OPTIONS):
        command = option(command)
    return command


def _known(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> int | list[list[str]] | None:
    """Read what an attacker knows: a number of columns, or sets of them."""
    if not values:
        return None
    if len(values) == 1 and values[0].strip().isdecimal():
        return int(values[0])
    return [column_names([value], []) for value in values]


known_option = click.option(
    "--known",
    multiple=True,
    metavar="M",
    callback=_known,
    help="Protect against attackers who know any M quasi-identifiers, or those in a set such as zip,age; repeatable for sets.",
)


def _secret(_context: click.Context, _option: click.Parameter, path: str | None) -> bytes | None:
    from kanon_sql.model.secret import read_secret

    return None if path is None else read_secret(path)


def secret_file_option(help_text: str) -> Callable[[F], F]:
    """Return the option that names the file of a secret."""
    return click.option("--secret-file", "secret", metavar="FILE", callback=_secret, help=help_text)


secret_option = secret_file_option(
    "File with the secret that determines which rows are suppressed.  [default: KANON_SECRET, else the user's secret]"
)


def escape_option(help_text: str) -> Callable[[F], F]:
    """Return the option about CSV cells that a spreadsheet takes for formulas."""
    return click.option("--escape-formulas", is_flag=True, help=help_text)


escaped_option = escape_option("Pass this if RELEASE was written with --escape-formulas.")


def text_of(path: str) -> str:
    """Return the text of a file.

    Raises
    ------
    SourceError
        When it is not UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise_alone(SourceError(f"{path} is not UTF-8 text; hint: save the file as UTF-8"))
