"""The SQL texts next to the engine, and next to what it knows of guarantees, with their slots filled."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

from kanon_sql.engines.guarantees.audited_guarantee import template


def text(name: str, **slots: str) -> str:
    """Return the SQL text of that name; each slot ``${name}`` takes what is given for it, and none may be left."""
    return _template("statements", name).substitute(slots)


def guarantee_text(name: str, **slots: str) -> str:
    """Return a SQL text of a guarantee, likewise."""
    return template(name).substitute(slots)


@cache
def _template(folder: str, name: str) -> Template:
    return Template(files("kanon_sql.engines.duckdb").joinpath(folder, f"{name}.sql").read_text(encoding="utf-8"))


def tree_links(table: str) -> str:
    """Return the common table expressions that read a hierarchy: its cells, and the links from each node to the next above.

    Parameters
    ----------
    table : str
        The quoted name of its table.
    """
    return text("tree_links", tree=table)


def cells_text(name: str, **slots: str) -> str:
    """Return a SQL text of protected tables, likewise."""
    return _template("cells/statements", name).substitute(slots)
