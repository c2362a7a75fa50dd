"""A named argument that a function of ours does not have: DuckDB lists those that there are, and not the wrong one."""

from __future__ import annotations

import functools
import re

from kanon_sql.engines.duckdb.registration import macros
from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.synonyms import OPTIONS

_SIGNATURE = re.compile(r"(\w+)\((.*?)\)\s+AS\s+TABLE", re.DOTALL)

_PARAMETER = re.compile(r"(?:^|,)\s*(\w+)\s*(?=,|:=|$)")


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
    from kanon_sql.clause import named_arguments  # sqlglot is only paid for where a call failed

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
