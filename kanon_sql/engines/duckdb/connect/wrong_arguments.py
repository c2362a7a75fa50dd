"""Wrong arguments of our functions: DuckDB lists those that there are, and not the wrong one."""

from __future__ import annotations

import functools
import re

from kanon_sql.engines.duckdb.connect.registration import macros
from kanon_sql.engines.guarantees import audited_class
from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.requirements import REQUIREMENTS
from kanon_sql.model.synonyms import OPTIONS

_SIGNATURE = re.compile(r"(\w+)\((.*?)\)\s+AS\s+TABLE", re.DOTALL)

_PARAMETER = re.compile(r"(?:^|,)\s*(\w+)\s*(?=,|:=|$)")

_NOT_A_LIST = re.compile(r"cast \([\w(), ]+ -> VARCHAR\[\]\)|cast to the destination type VARCHAR\[\]")


@functools.cache
def measuring_calls() -> dict[str, tuple[str, str]]:
    """Return for each function that measures a table how it is called, and the call that releases under its guarantee."""
    found = {}
    for each in REQUIREMENTS:
        macro, release = audited_class(each).macro, audited_class(each).release
        if macro is not None and release is not None:
            about = {"sensitive": ", 'disease'", "population": ", 'census'"}
            more = next((text for field, text in about.items() if field in each.__dataclass_fields__), "")
            found[macro] = (f"{macro}('patients', ['zip', 'age']{more})", release)
    return found


def for_the_other(sql: str, message: str) -> PolicyError | None:
    """Return the error for a function that measures, called with the arguments of the one that releases; None for others.

    Parameters
    ----------
    sql : str
        The statement that could not be bound.
    message : str
        What DuckDB said of it: that the second argument is not a list.
    """
    called = [name for name in measuring_calls() if re.search(rf"\b{name}\s*\(", sql, re.IGNORECASE)]
    if len(called) != 1 or not _NOT_A_LIST.search(message):
        return None
    (name,) = called
    call, release = measuring_calls()[name]
    return PolicyError(
        f"{name} measures a table, so its second argument must be a list of quasi-identifiers; hint: write {call}, or, to "
        f"release a table, {release}"
    )


def for_measuring(name: str) -> PolicyError:
    """Return the error for a function that releases, called with a list of quasi-identifiers as one that measures is."""
    call, release = next(each for each in measuring_calls().values() if each[1].startswith(f"{name}("))
    return PolicyError(
        f"{name} releases a table, so its second argument is not the list of quasi-identifiers; hint: write {release}, or, to "
        f"measure a table, {call}"
    )


def unknown_argument(sql: str, message: str) -> PolicyError | None:
    """Return the error for the first named argument that a function of ours does not have; None if all are known.

    Parameters
    ----------
    sql : str
        The statement that could not be bound.
    message : str
        What DuckDB said of it, with the name of the function whose arguments are wrong.
    """
    known = {name: parameters for name, parameters in _parameters().items() if f"{name}()" in message}
    if not known:
        return None
    from kanon_sql.clause import named_arguments  # sqlglot is only loaded where a call failed

    for function, argument in named_arguments(sql, known):
        names = known[function]
        if argument.lower() not in names:
            hint = hint_of(argument, names, f"the arguments are {', '.join(names)}", spelled=str, synonyms=OPTIONS)
            return PolicyError(f"{function} has no argument {argument}; hint: {hint}")
    return None


@functools.cache
def _parameters() -> dict[str, list[str]]:
    """Return the parameters of each function."""
    found = {}
    for text in macros():
        signature = _SIGNATURE.match(text)
        if signature is not None:
            found[signature[1]] = _PARAMETER.findall(signature[2])
    return found
