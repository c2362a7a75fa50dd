"""Wrong arguments of our functions: DuckDB lists those that there are, and not the wrong one."""

from __future__ import annotations

import functools
import re

from kanon_sql.engines.duckdb.connect.registration import macros
from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.synonyms import OPTIONS

_SIGNATURE = re.compile(r"(\w+)\((.*?)\)\s+AS\s+TABLE", re.DOTALL)

_PARAMETER = re.compile(r"(?:^|,)\s*(\w+)\s*(?=,|:=|$)")

_CALLS = {
    "k_anonymity": "k_anonymity('patients', ['zip', 'age'])",
    "k_mapping": "k_mapping('patients', ['zip', 'age'], 'census')",
    "delta_presence": "delta_presence('patients', ['zip', 'age'], 'census')",
    "l_diversity": "l_diversity('patients', ['zip', 'age'], 'disease')",
    "t_closeness": "t_closeness('patients', ['zip', 'age'], 'disease')",
    "beta_likeness": "beta_likeness('patients', ['zip', 'age'], 'disease')",
    "delta_disclosure": "delta_disclosure('patients', ['zip', 'age'], 'disease')",
}
"""The functions that measure a table, and how each is called."""

_NOT_A_LIST = re.compile(r"cast \([\w(), ]+ -> VARCHAR\[\]\)|cast to the destination type VARCHAR\[\]")

_RELEASES = {
    "k_anonymity": "k_anonymize('patients', 5)",
    "k_mapping": "k_map('patients', 5, 'census')",
    "delta_presence": "delta_present('patients', 0.2, 'census')",
    "l_diversity": "l_diversify('patients', 'disease', 2)",
    "t_closeness": "t_close('patients', 'disease', 0.2)",
    "beta_likeness": "beta_like('patients', 'disease', 1)",
    "delta_disclosure": "delta_private('patients', 'disease', 1)",
}
"""The functions that release a table under the guarantee that another one measures."""


def for_the_other(sql: str, message: str) -> PolicyError | None:
    """Return the error for a function that measures, called with the arguments of the one that releases; None for others.

    Parameters
    ----------
    sql : str
        The statement that could not be bound.
    message : str
        What DuckDB said of it: that the second argument is not a list.
    """
    called = [name for name in _CALLS if re.search(rf"\b{name}\s*\(", sql, re.IGNORECASE)]
    if len(called) != 1 or not _NOT_A_LIST.search(message):
        return None
    (name,) = called
    return PolicyError(
        f"{name} measures a table, and its second argument must be a list of quasi-identifiers; hint: {_CALLS[name]}, or, "
        f"to release a table, {_RELEASES[name]}"
    )


def for_measuring(name: str) -> PolicyError:
    """Return the error for a function that releases, called with a list of quasi-identifiers as one that measures is."""
    measuring = next(key for key, call in _RELEASES.items() if call.startswith(f"{name}("))
    return PolicyError(
        f"{name} releases a table, and its second argument is not the list of quasi-identifiers; hint: {_RELEASES[measuring]}, "
        f"or, to measure a table, {_CALLS[measuring]}"
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
