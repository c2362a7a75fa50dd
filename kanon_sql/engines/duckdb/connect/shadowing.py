"""Macros of a database that would take the place of DuckDB's own functions, or of those of kanon-sql.

DuckDB looks for a bare function name on the search path, where a macro of the database comes before the built-in function. So
the SQL texts here call ``system.main.sum(...)``, which nothing can shadow. Some syntax does not allow such a name;
the functions behind it are `GATED`, and each statement looks them up where it runs. Nor do the texts call built-ins that are
macros themselves, such as ``list_sum``: their bodies use bare names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.errors import SourceError

if TYPE_CHECKING:
    import duckdb

GATED = (
    "%",
    "*",
    "+",
    "-",
    "/",
    "//",
    "<<",
    "||",
    "list_filter",  # COLUMNS(lambda ...)
    "list_value",  # [a, b]
    "map",  # MAP {'a': 1}, in the arguments of a table function
    "struct_pack",  # list(t), where t is a table
    "unpivot_list",  # UNPIVOT
)
"""Functions behind the syntax of our texts for which a macro is called in silence.

A house test derives the list from the texts: it binds them with a macro in the place of each function that DuckDB has. Behind
``x.a``, ``x[1]`` and ``x[1:2]`` are functions too (`REFUSED`).
"""

REFUSED = ("array_extract", "array_slice", "struct_extract")
"""Functions behind the syntax of our texts for which DuckDB refuses a macro itself, when it binds the statement."""

_UNSHADOWED = """system.main.len(system.main.list_transform(
        system.main.list_filter(system.main.list_value({names}), lambda name: system.main.contains(
            system.main.json_serialize_plan(system.main.format('SELECT "{{}}"(DISTINCT 1)', name))::VARCHAR,
            'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(system.main.format('kanon audit: {refusal}', name)))) = 0"""

_REFUSAL = "the macro {} takes the place of a built-in function; nothing was released; hint: drop or rename it"


def unshadowed(names: Iterable[str] = GATED) -> str:
    """Return an SQL condition: none of these functions is a macro where the statement runs; else it is an error that names one.

    Notes
    -----
    The binder itself decides, so temporary and uncommitted macros are seen, and those that are not on the search path are not.
    It refuses ``"+"(DISTINCT 1)`` in any case, and its refusal tells a function from a macro. That takes 0.2 ms a name, once a
    statement; ``duckdb_functions()`` would take 11 ms.
    """
    return _UNSHADOWED.format(names=", ".join(map(literal, names)), refusal=_REFUSAL)


_FILES = "SELECT 1 FROM system.main.duckdb_databases() WHERE path IS NOT NULL LIMIT 1"

_MACROS = """SELECT database_name, schema_name, function_name, function_type, macro_definition, parameters
    FROM system.main.duckdb_functions()
    WHERE NOT internal AND database_name IN (
        SELECT database_name FROM system.main.duckdb_databases() WHERE path IS NOT NULL OR database_name = 'temp'
    )"""

_LAMBDA = re.compile(r'\(lambda ("?\w+"?(?:, "?\w+"?)?): ')
"""How DuckDB 2 prints a lambda; of a macro that DuckDB 1.5 stored it prints ``("name" -> ...)`` or ``("row"(a, b) -> ...)``."""


def _as_stored(text: str) -> str:
    """Return the printed text of a macro, with lambdas as DuckDB 1.5 stored them, and truth values as DuckDB 2 prints them."""
    text = text.replace("CAST('t' AS BOOLEAN)", "true").replace("CAST('f' AS BOOLEAN)", "false")
    return _LAMBDA.sub(lambda found: f'("row"({found[1]}) -> ' if "," in found[1] else f"({found[1]} -> ", text)


def refuse_namesakes(con: duckdb.DuckDBPyConnection, without_python: Iterable[str] = ()) -> None:
    """Raise an error if a database file has a macro that is called like one of ours but is another.

    On this connection the temporary macros of `register` win over those of files; on its cursors a file would. A file may hold
    the macros of this version's ``kanon.sql``: somebody read it into the file.

    Parameters
    ----------
    con : DuckDBPyConnection
        With our macros as temporary ones.
    without_python : iterable of str
        The texts behind CREATE MACRO of the releases in ``kanon.sql`` for which `register` has others.

    Raises
    ------
    SourceError
        The error names the macro.
    """
    if not con.execute(_FILES).fetchall():  # printing our own macros takes as long as a small release
        return
    printed = _printed(con)
    ours = {(name.lower(), macro) for database, _, name, macro in printed if database == "temp"}
    names = {name for name, _ in ours}
    found = [each for each in printed if each[0] != "temp" and each[2].lower() in names]
    if any((name.lower(), macro) not in ours for _, _, name, macro in found):
        ours |= _releases_without_python(con, without_python)
    for database, schema, name, macro in found:
        if (name.lower(), macro) not in ours:
            place = ".".join(map(quoted, (database, schema, name)))
            raise SourceError(
                f"the macro {place} has the same name as a kanon-sql function; hint: drop it, or load the new kanon.sql if "
                "it is from a different version"
            )


def _printed(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str, str, tuple[str, str, tuple[str, ...]]]]:
    """Return database, schema, name and contents of each macro in a file, and of each temporary one."""
    rows = con.execute(_MACROS).fetchall()
    return [(*place, (kind, _as_stored(text), tuple(names))) for *place, kind, text, names in rows]


def _releases_without_python(
    con: duckdb.DuckDBPyConnection, texts: Iterable[str]
) -> set[tuple[str, tuple[str, str, tuple[str, ...]]]]:
    """Return name and contents of the releases in ``kanon.sql``, made under names that nobody has, because ours are taken."""
    names = {f"kanon_without_python_{text.partition('(')[0]}": text for text in texts}
    for name, text in names.items():
        con.execute(f"CREATE OR REPLACE TEMP MACRO {name}({text.partition('(')[2]}")
    try:
        return {(names[name].partition("(")[0], macro) for _, _, name, macro in _printed(con) if name in names}
    finally:
        for name in names:
            con.execute(f"DROP MACRO TABLE {name}")
