"""The SQL texts of Spark and of its guarantees, with their slots filled."""

from __future__ import annotations

from importlib.resources import files
from string import Template


def text(name: str, **slots: str) -> str:
    """Return the SQL text of that name; each slot ``${name}`` takes what is given for it, and none may be left."""
    return _filled("statements", name, slots)


def guarantee_text(name: str, **slots: str) -> str:
    """Return a SQL text of a guarantee, likewise."""
    return _filled("guarantees", name, slots)


def _filled(folder: str, name: str, slots: dict[str, str]) -> str:
    found = files("kanon_sql.engines.spark").joinpath(folder, f"{name}.sql").read_text(encoding="utf-8")
    return Template(found).substitute(slots)
