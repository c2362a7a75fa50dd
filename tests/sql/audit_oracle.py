"""The audit figures in plain Python, from lists of rows: slow, short, and independent of the SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from unittest.mock import ANY

import pytest
from label_oracle import Tree, stands_for

Row = tuple[object, ...]


def sizes(rows: list[Row]) -> list[int]:
    return sorted(Counter(rows).values())


def k_anonymity(rows: list[Row]) -> dict[str, object]:
    found = sizes(rows)
    return {
        "k": min(found, default=None),
        "classes": len(found),
        "rows": len(rows),
        "average_class_size": len(rows) / len(found) if found else None,
        "largest_class": max(found, default=None),
        "uniques": found.count(1),
    }


def reidentification_risk(rows: list[Row]) -> dict[str, object]:
    count = Counter(rows)
    risks = [Fraction(1, count[row]) for row in rows]  # one risk a row

    def share(hits: int) -> float | None:
        return hits / len(rows) if rows else None

    return {
        "prosecutor_risk": float(max(risks)) if risks else None,
        "prosecutor_risk_average": float(sum(risks) / len(risks)) if risks else None,
        "journalist_risk": float(max(risks)) if risks else None,
        "marketer_risk": float(sum(risks) / len(risks)) if risks else None,
        "uniques": risks.count(Fraction(1)),
        "uniques_share": share(risks.count(Fraction(1))),
        "share_above_0_2": share(sum(risk > Fraction(1, 5) for risk in risks)),
        "share_above_0_05": share(sum(risk > Fraction(1, 20) for risk in risks)),
        **dict.fromkeys(("population_uniques", *(f"population_uniques_{model}" for model in ("zayatz", "pitman", "snb")))),
        "rows": len(rows),
        "classes": len(count),
    }


def utility(
    released: list[Row], original: list[Row], names: Sequence[str] = (), trees: Mapping[str, Tree] | None = None
) -> dict[str, object]:
    """Figures for columns of numbers or texts; without names, the loss of each column is not compared.

    The release may hold None, '*', or labels that are not in the original. ``trees`` has the hierarchies of columns by name.
    """
    columns = list(zip(*original, strict=True))
    domains = [{None if value in (None, "*") else str(value) for value in column} for column in columns]
    numeric = [any(isinstance(value, int | float) for value in column) for column in columns]
    classes = Counter(released)

    def hidden(column: Sequence[object]) -> int:
        return sum(value is None or value == "*" for value in column)

    suppressed, generalized, unread, losses = 0, 0, 0, []
    for j, (after, before) in enumerate(zip(zip(*released, strict=True), columns, strict=True)):
        tree = (trees or {}).get(names[j]) if names else None
        labels = [str(value) for value in after if value not in (None, "*") and str(value) not in domains[j]]
        meant = {label: stands_for(label, domains[j], tree) for label in set(labels)}
        behind = sum(None in meant[label] or not meant[label] for label in labels)  # may hide a NULL of the original
        gone = min(hidden(after), hidden(after) - hidden(before) + behind)
        lost = Fraction(gone)
        for label in labels:
            lost += Fraction(len(meant[label] or domains[j]) - 1, max(len(domains[j]) - 1, 1))
        losses.append(lost / len(after) if len(domains[j]) > 1 else Fraction(0))
        suppressed += gone
        generalized += len(labels)
        unread += sum(not meant[label] for label in labels)
    diversity = Fraction(0)
    for row in classes:
        for value, domain, number in zip(row, domains, numeric, strict=True):
            if value in (None, "*") or str(value) not in domain:
                diversity += 1
            elif not number:
                diversity += Fraction(1, len(domain))
    cells = sum(map(len, released))
    return {
        "rows": len(released),
        "cells": cells,
        "suppressed_cells": suppressed,
        "suppressed_share": suppressed / cells,
        "generalized_cells": generalized,
        "unread_cells": unread,
        "ncp": float(sum(losses) / len(losses)),
        "loss": pytest.approx(dict(zip(names, map(float, losses), strict=True))) if names else ANY,
        "classes": len(classes),
        "average_class_size": len(released) / len(classes),
        "discernibility": sum(size * size for size in classes.values()),
        "usefulness": float(diversity / len(classes)),
    }
