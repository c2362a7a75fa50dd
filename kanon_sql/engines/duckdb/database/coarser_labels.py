"""The labels that a table of facts may show instead of the label of its person: coarser ones of the same ladder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kanon_sql.generalize.ladders import ladders
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import has_fixed_labels
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.ladder import Label, Ladder
from kanon_sql.table.sensitive_values import Columns

ROOT = "*"
"""The root of a hierarchy, which stands for suppression."""


def has_ladder(qi: QuasiIdentifier) -> bool:
    """Return whether the labels of a column depend on its value alone, so that a label has coarser ones."""
    return has_fixed_labels(qi.recoding)


def ladder_of(qi: QuasiIdentifier, people: Mapping[Label, int], tables: Mapping[str, Columns]) -> Ladder:
    """Return the ladder of a column of people, with the losses of its levels.

    Parameters
    ----------
    qi : QuasiIdentifier
        With a recoding of `has_ladder`.
    people : mapping [v]
        How many people have each value, as a text.
    tables : mapping
        The hierarchy that it names.
    """
    import numpy as np
    import pyarrow as pa

    policy = Policy(quasi_identifiers=(qi,), requirements=(KAnonymity(k=1),))
    texts = {qi.column: pa.array(list(people), pa.string())}
    return ladders(policy, texts, np.array(list(people.values()), np.int64), tables, Budget())[qi.column]


def coarser_labels(ladder: Ladder, shown: Sequence[Label]) -> list[tuple[str, ...]] | None:
    """Return a hierarchy of the labels that a release shows: each, with its own label at every level, and the root.

    Parameters
    ----------
    ladder : Ladder
        That of the column, in the order of its values.
    shown : sequence of Label
        The labels of the release, each once; a suppressed cell stays suppressed.

    Returns
    -------
    list of tuple of str, optional
        One row for each label, finest level first. None where a label stands for different ones a level above, so that nobody
        can say which is right: then the column has no levels.
    """
    ways: dict[str, set[tuple[str, ...]]] = {}
    for value in range(len(ladder.codes[0])):
        labels = [names[codes[value]] for names, codes in zip(ladder.labels, ladder.codes, strict=True)]
        for label in {each for each in labels if each is not None}:
            last = len(labels) - 1 - labels[::-1].index(label)
            above = [each for each in labels[last + 1 :] if each is not None]
            ways.setdefault(label, set()).add((*[label] * (last + 1), *above, ROOT))
    rows: list[tuple[str, ...]] = []
    for label in shown:
        if label is not None:
            found = ways.get(label, set())
            if len(found) != 1:
                return None
            rows.extend(found)
    return rows
