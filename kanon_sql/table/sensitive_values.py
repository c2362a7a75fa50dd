"""What the requirements of a policy need to know of sensitive values beyond their codes: their texts, and tables about them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.errors import InfeasibleError, PolicyError, SourceError, UnknownColumnError, raise_alone
from kanon_sql.model.distances import Distance, hierarchical, metric, number, numeric
from kanon_sql.model.hierarchies import Hierarchy
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.table.coded_table import CodedTable, Sensitive
from kanon_sql.table.equal_values import Spellings

if TYPE_CHECKING:
    import pyarrow as pa

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)?")
"""A DATE or TIMESTAMP as DuckDB writes it, from the year 1 to 9999."""

_FAR = re.compile(
    r"-?infinity|(?:[0-9]{4,7}-[0-9]{2}-[0-9]{2} \(BC\)|(?:[0-9]{5,7}|[+-][0-9]{4,7})-[0-9]{2}-[0-9]{2})(?: [0-9:.]+)?"
)
"""One outside these years, as DuckDB or Spark writes it."""

Columns = Mapping[str, Sequence[str | None]]
"""A table as texts, column by column."""


def labelled(policy: Policy) -> tuple[str, ...]:
    """Return the columns whose values are known by their texts: sensitive attributes, then what is generalized."""
    known = {same_name(each.sensitive) for each in policy.closeness if each.metric not in ("equal", "ordered")}
    known |= {same_name(each.sensitive) for each in policy.every_sensitive_requirement if isinstance(each, AlphaAnonymity)}
    return (*(name for name in policy.sensitive if same_name(name) in known), *policy.generalized)


def measured(
    table: CodedTable, policy: Policy, labels: Mapping[str, pa.Array], tables: Mapping[str, Columns], spellings: Spellings
) -> CodedTable:
    """Return a coded table that knows the values and distances which the requirements name.

    Parameters
    ----------
    table : CodedTable
        As `encode` returned it.
    policy : Policy
        Resolved, with the columns of the table.
    labels : mapping of StringArray [s]
        For each column of `labelled` the text of its value in each spelled row type, in the order of the source.
    tables : mapping
        The tables of `Policy.tables`.
    spellings : Spellings
        Which spelled row types are one row type.

    Raises
    ------
    PolicyError
        When a table is no metric or hierarchy of the values that occur.
    InfeasibleError
        When a named value does not occur: a guarantee about it would hold of every release.
    SourceError
        When a named value is the text of several values.
    """
    found = []
    for sensitive in table.sensitive:
        mine = [each for each in policy.every_sensitive_requirement if each.sensitive == sensitive.column]
        spelled = _spelled(sensitive, labels.get(sensitive.column), spellings)
        texts = [min(each) if each else None for each in spelled]  # the first one stands for all, as in the audit
        distances = dict(sensitive.distances)
        for requirement in policy.closeness:
            if requirement.sensitive == sensitive.column and requirement.metric not in distances:
                try:
                    distances[requirement.metric] = _distance(requirement.metric, requirement.table, texts, tables)
                except PolicyError as error:
                    raise_alone(PolicyError(f"{requirement.describe()}: {error}"))
        named = {each.value: _code(each, spelled) for each in mine if isinstance(each, AlphaAnonymity)}
        found.append(replace(sensitive, named=named, distances=distances))
    return replace(table, sensitive=tuple(found))


def _spelled(sensitive: Sensitive, labels: pa.Array | None, spellings: Spellings) -> list[set[str]]:
    """Return the texts of each code, none for NULL; no code where no requirement asks for texts."""
    if labels is None:
        return []
    encoded = labels.dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    place = np.array(encoded.indices.fill_null(-1))
    found: list[set[str]] = [set() for _ in sensitive.count]
    for code, text in np.unique(np.stack([sensitive.codes[spellings.row_type], place]), axis=1).T.tolist():
        if text >= 0:
            found[code].add(texts[text])
    return found


def _code(requirement: AlphaAnonymity, spelled: list[set[str]]) -> int:
    codes = [code for code, known in enumerate(spelled) if requirement.value in known]
    if not codes:
        raise InfeasibleError(
            f"{requirement.describe()}: no row has this value, so nothing would be guaranteed; hint: write the value as in "
            f"CAST({as_identifier(requirement.sensitive)} AS VARCHAR): a DECIMAL may be '1.00'"
        )
    if len(codes) > 1:
        raise SourceError(
            f"{requirement.describe()}: {len(codes)} different values match this text; hint: cast the column to VARCHAR"
        )
    return codes[0]


def _distance(named: str, table: str | None, texts: list[str | None], tables: Mapping[str, Columns]) -> Distance:
    """Return the distances of a metric that is named, from its table if it has one."""
    if named == "numeric":
        return numeric(_numbers(texts))
    columns = tables[table or ""]
    if named == "hierarchical":
        return hierarchical(*Hierarchy.of(columns).paths(texts))
    found = {same_name(name): column for name, column in columns.items()}
    for column in ("a", "b", "distance"):
        if column not in found:
            raise UnknownColumnError.of(column, columns, f"the metric {named!r}")
    return metric(texts, found["a"], found["b"], found["distance"])


def _numbers(texts: list[str | None]) -> list[Fraction]:
    """Return the number that each text is; of dates and timestamps the microseconds."""
    if None in texts:
        raise PolicyError("empty cells are not numbers; hint: use 'ordered', which sorts them last, or fill them")
    for read in (number, moment):
        found = [value for text in texts if (value := read(text)) is not None]
        if found:
            break
    if len(found) < len(texts):
        raise PolicyError(
            f"not all values are dates, and {len(texts) - len(found)} of the {len(texts)} values are not "
            "numbers with at most 15 decimal places and no exponent; hint: cast the column to DECIMAL, or use 'ordered'"
        )
    return found


def moment(text: str | None) -> Fraction | None:
    """Return the microseconds up to a date or timestamp; None where the text is none."""
    if text is None or not _MOMENT.fullmatch(text):
        return None
    try:
        return Fraction((datetime.fromisoformat(text) - datetime.min) // timedelta(microseconds=1))
    except ValueError:  # it has a month 13
        return None


def refuse_far_moments(texts: Sequence[str | None]) -> None:
    """Refuse a column of dates or timestamps of which `moment` does not read all, because of their years.

    Raises
    ------
    PolicyError
        With the number of these values.
    """
    unread = [text for text in texts if text is not None and moment(text) is None]
    if unread and all(map(_FAR.fullmatch, unread)):
        raise PolicyError(
            f"{len(unread)} of the {len(texts)} values are dates outside the years 1 to 9999; hint: exclude these rows"
        )
