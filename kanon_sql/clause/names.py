"""The name of a column, wherever the clause takes one."""

from __future__ import annotations

from sqlglot import TokenType

from kanon_sql.clause.reader import Reader
from kanon_sql.validation import RESERVED


def column_name(reader: Reader, hint: str) -> str:
    """Read a column: an unreserved word or a quoted name, without a table in front.

    Parameters
    ----------
    reader : Reader
        Stands in front of the name.
    hint : str
        What to write where something else comes.
    """
    if reader.kind is TokenType.IDENTIFIER:
        name = reader.unquote()
    elif reader.word in RESERVED:
        raise reader.error(f'{reader.word} is a reserved word; hint: as the name of a column, quote it: "{reader.spelled}"')
    elif reader.word:
        name = reader.spelled
        reader.place += 1
    else:
        raise reader.error(f"expected a column; hint: {hint}")
    if reader.spelled == ".":
        raise reader.error("a column is named as the query returns it; hint: zip, without the table in front")
    return name
