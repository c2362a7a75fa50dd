"""What a policy may read apart from the source: tables that are given or in its database, and files that the caller allows.

Whoever writes a database file writes its policies, and they run with the rights of whoever opens it. DuckDB takes a name that
is no table for a file, a URL or a Python variable, so each name has to be a table before anything reads it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from kanon_sql.engines.duckdb.names import literal, name_parts, qualified, quoted, table_name
from kanon_sql.errors import PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import named_file, same_name

_THERE = "(SELECT system.main.count(*) FROM system.main.pragma_table_info({name})) AS {alias}"
"""Cannot be bound unless there is such a table or view; nothing else takes its place."""

_CHECKED = 'SELECT "kanon#allowed".*\nFROM {there}, (\n{query}\n) AS "kanon#allowed"'

_PATTERN = "*?["
"""With one of these, a name may stand for many files."""


class AllowedFiles:
    """The files that stored policies may read; none, until the caller allows some.

    Examples
    --------
    >>> from kanon_sql.model.recodings import Levels
    >>> policy = Policy.of(k=5, quasi_identifiers=["zip"], recodings={"zip": Levels(table="zip_levels")})
    >>> AllowedFiles().tables_of(policy, "the policy")
    ['zip_levels']
    """

    def __init__(self) -> None:
        self._places: set[Path] = set()

    def allow(self, files: Iterable[str | os.PathLike[str]]) -> None:
        """Allow further files; a folder allows all files in it.

        Raises
        ------
        PolicyError
            When it is no list of paths, or one of them is a URL.
        """
        given = None if isinstance(files, str | os.PathLike) or not isinstance(files, Iterable) else list(files)
        if given is None or not all(isinstance(each, str | os.PathLike) and _is_path(os.fspath(each)) for each in given):
            raise PolicyError("allowed_files must be a list of paths; hint: pass allowed_files=['age_levels.csv']")
        for each in given:
            if "://" in os.fspath(each):
                raise PolicyError(
                    f"allowed_files cannot contain the URL {each}; hint: download the file, and load it as a table"
                )
        self._places |= {_place(os.fspath(each)) for each in given}

    def tables_of(self, policy: Policy, whose: object) -> list[str]:
        """Return the names of the tables that a policy reads apart from the source, without allowed files.

        Parameters
        ----------
        whose : object
            What an error calls it.

        Raises
        ------
        PolicyError
            When it reads a URL, or a file that is not allowed.
        """
        tables = []
        for name in dict.fromkeys((*policy.tables, *policy.populations)):
            file = named_file(name)
            if "://" in name:
                raise PolicyError(f"{whose} reads the URL {file or name}; hint: download the file, and load it as a table")
            if file is None:
                tables.append(name)
            elif not self._allows(file):
                raise PolicyError(
                    f"{whose} reads the file {file}, which is not allowed; hint: load it as a table, or allow it with "
                    f"allowed_files=[{file!r}] or --allow-file {file}"
                )
        return tables

    def _allows(self, file: str) -> bool:
        if "\0" in file or any(each in file for each in _PATTERN):
            return False
        place = _place(file)
        return not self._places.isdisjoint((place, *place.parents)) and os.path.isfile(place)


def _is_path(text: object) -> bool:
    return isinstance(text, str) and text != "" and "\0" not in text


def _place(file: str) -> Path:
    """Return the file that DuckDB reads under this name, without symbolic links."""
    return Path(os.path.realpath(os.path.expanduser(file)))


def there(tables: Iterable[str], database: str, whose: object) -> list[str]:
    """Return items of a FROM list, of one row each, that cannot be bound unless each name is a table or view of the database.

    Parameters
    ----------
    tables : iterable of str
        The names, as a policy spells them.
    database : str
        The database that they belong to.
    whose : object
        What an error calls the policy.

    Raises
    ------
    PolicyError
        When a name is that of another database.
    """
    found = []
    for number, name in enumerate(tables, 1):
        parts = name_parts(name)
        if len(parts) == 3 and same_name(parts[0]) != same_name(database):
            raise PolicyError(f"{whose} reads {name}, a table in a different database; hint: copy it into {database}")
        if len(parts) == 2 and same_name(parts[0]) != same_name(database):
            parts = [database, *parts]  # else the first part could be another database
        found.append(_THERE.format(name=literal(qualified(parts)), alias=f'"kanon#there{number}"'))
    return found


def checked(query: str, tables: Iterable[str], database: str, whose: object) -> str:
    """Return a query that is bound only after `there` was."""
    items = there(tables, database, whose)
    return _CHECKED.format(there=", ".join(items), query=query) if items else query


def check_tables(policy: Policy, given: Iterable[str], how: str) -> None:
    """Refuse tables next to the source that are not just those that the policy names.

    Parameters
    ----------
    given : iterable of str
        Names of the tables that are given, without quotes.
    how : str
        How a table is given, with a place for its name.
    """
    offered = {same_name(quoted(name)): name for name in given}
    every = (*policy.tables, *policy.populations)
    named = {same_name(table_name(name)): name for name in every if named_file(name) is None}
    for key, name in named.items():
        if key not in offered:
            raise PolicyError(f"the policy uses the table {name!r}, which is missing; hint: pass {how.format(name)}")
    for key, name in offered.items():
        if key not in named:
            raise PolicyError(
                f"the policy does not use the table {name!r}; hint: do not pass it, or use it in a metric, hierarchy, recoding "
                "or guarantee"
            )
        if key in ('"source"', '"released"'):
            raise PolicyError(f"an additional table cannot be called {name!r}; hint: rename it")
