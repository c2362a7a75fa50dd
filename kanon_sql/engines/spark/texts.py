"""The SQL texts of Spark, with their slots filled."""

from __future__ import annotations

from importlib.resources import files
from string import Template


def text(name: str, **slots: str) -> str:
    """Return the SQL text of that name; each slot ``${name}`` takes what is given for it, and none may be left."""
    found = files("kanon_sql.engines.spark").joinpath("statements", f"{name}.sql").read_text(encoding="utf-8")
    return Template(found).substitute(slots)
