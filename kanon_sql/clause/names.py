"""Names of columns, policies and tables, wherever the clause takes one."""

from __future__ import annotations

from sqlglot import TokenType

from kanon_sql.clause.reader import Reader
from kanon_sql.model.validation import RESERVED, as_identifier, named_file


def column_name(reader: Reader, hint: str) -> str:
    """Read a column: an unreserved word or a quoted name, without a table in front.

    Parameters
    ----------
    reader : Reader
        Stands in front of the name.
    hint : str
        What to write where something else comes.
    """
    if reader.kind is TokenType.STRING:
        meant = as_identifier(reader.spelled[1:-1].replace("''", "'"))
        raise reader.mistake(f"expected a column, not a string in single quotes; hint: write {hint}", meant)
    name = _identifier(reader, "a column", hint)
    if reader.spelled == ".":
        problem = "a column name cannot be qualified here; hint: write zip, without the table name"
        raise reader.mistake(problem, "", first=reader.place - 1)
    return name


def policy_name(reader: Reader, hint: str) -> str:
    """Read the name of a policy, which has no schema in front; arguments as for :func:`column_name`."""
    name = _identifier(reader, "a policy", hint)
    if reader.spelled == ".":
        raise reader.error("a policy name cannot have a schema; hint: write the name alone, or put it in double quotes")
    return name


def table_name(reader: Reader, hint: str) -> str:
    """Read the name of a table, or of a file in single quotes; return it as SQL spells it, quoted where it has to be."""
    if reader.kind is TokenType.STRING:
        start, file = reader.place, reader.unquote()
        if not file or reader.spelled == ".":
            raise reader.script.error(f"expected a table, or a file in single quotes; hint: write {hint}", start)
        return as_identifier(file)
    if reader.word == "GUARANTEE":
        raise reader.error(f"expected a table; hint: write {hint}")
    parts = [_identifier(reader, "a table", hint)]
    while reader.skip("."):
        parts.append(_identifier(reader, "a table", hint))
    name = ".".join(map(as_identifier, parts))
    if named_file(name) is None or len(parts) == 1:
        return name
    # A table called csv is no file, as quotes around its name tell.
    return ".".join([*map(as_identifier, parts[:-1]), f'"{parts[-1]}"'])


def _identifier(reader: Reader, what: str, hint: str) -> str:
    if reader.kind is TokenType.IDENTIFIER:
        return reader.unquote()
    if reader.word in RESERVED:
        raise reader.error(
            f'{reader.word} is a reserved word; hint: quote it to use it as the name of {what}: "{reader.spelled}"'
        )
    if not reader.word:
        raise reader.error(f"expected {what}; hint: write {hint}")
    name = reader.spelled
    reader.place += 1
    return name
