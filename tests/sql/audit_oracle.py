"""The audit figures in plain Python, from lists of rows: slow, short, and independent of the SQL."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

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
        "rows": len(rows),
        "classes": len(count),
    }


def utility(released: list[Row], original: list[Row]) -> dict[str, object]:
    """Figures for columns of numbers or text, where the release may hold None, '*' or a text that is not in the original."""
    columns = list(zip(*original, strict=True))
    domains = [{None if value == "*" else value for value in column} for column in columns]
    numeric = [any(isinstance(value, int) for value in domain) for domain in domains]
    texts = [{str(value) for value in domain if value is not None} for domain in domains]
    classes = sorted(Counter(released).items(), key=repr)

    def shown(value: object, j: int) -> bool:
        return value is not None and value != "*" and str(value) in texts[j]

    def hidden(rows: list[Row]) -> int:
        return sum(value is None or value == "*" for row in rows for value in row)

    cells = sum(map(len, released))
    suppressed = hidden(released) - hidden(original)
    generalized = cells - hidden(released) - sum(shown(value, j) for row in released for j, value in enumerate(row))
    diversity = Fraction(0)
    for row, _ in classes:
        for j, value in enumerate(row):
            if not shown(value, j):
                diversity += 1
            elif not numeric[j]:
                diversity += Fraction(1, len(domains[j]))
    return {
        "rows": len(released),
        "cells": cells,
        "suppressed_cells": suppressed,
        "suppressed_share": suppressed / cells,
        "generalized_cells": generalized,
        "ncp": (suppressed + generalized) / cells,
        "classes": len(classes),
        "average_class_size": len(released) / len(classes),
        "discernibility": sum(size * size for _, size in classes),
        "usefulness": float(diversity / len(classes)),
    }
