"""The experiments of section 3.6 of "Pattern-Guided k-Anonymity": the greedy heuristic against the optimum, with few masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks.data import ADULT_2, table
from benchmarks.usefulness import class_numbers, usefulness
from kanon_sql.model.policy import Mask

KS = (2, 3, 5, 10, 25, 50, 75, 100)

TABLES = ("Nursery", "CMC", "Adult-2")

TIME_LIMIT = 60

_ROW = "row number"


def masks_of(name: str, columns: list[str]) -> tuple[Mask, ...]:
    """Return the masks of the experiment, as the columns that each shows."""
    match name:
        case "Nursery":
            hidden = [each for stars in range(len(columns) + 1) for each in combinations(columns, stars)]
        case "CMC":
            hidden = [each for stars in range(3) for each in combinations(columns, stars)] + [tuple(columns)]
        case "Adult-2":
            alone = ("marital-status", "native-country", "age", "race", "sex")
            hidden = [(), *((column,) for column in alone), ("workclass", "occupation"), alone[:2]]
            hidden += [(one, other) for one in alone[:2] for other in alone[2:]]
            hidden.append(ADULT_2)
        case _:
            raise KeyError(name)
    return tuple(tuple(column for column in columns if column not in each) for each in hidden)


def measure(names: Iterable[str], ks: Iterable[int], data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per table, k and algorithm; tables that are not part of the experiment are passed over."""
    for name in names:
        if name not in TABLES:
            continue
        source = table(name, data)
        masks = masks_of(name, source.column_names)
        for algorithm in ("greedy", "optimal"):  # loads the kernels
            kanon_sql.anonymize(source.slice(0, 100), k=2, masks=masks, algorithm=algorithm, time_limit=1)
        for k in ks:
            greedy = _record(name, source, masks, k, "greedy")
            yield greedy
            optimal = _record(name, source, masks, k, "optimal")
            yield {**optimal, "greedy_ratio": greedy["s"] / optimal["s"] if optimal["s"] else 1.0}


def _record(name: str, source: pa.Table, masks: tuple[Mask, ...], k: int, algorithm: str) -> dict[str, Any]:
    columns = source.column_names
    numbered = source.append_column(_ROW, pa.array(np.arange(source.num_rows)))
    release = kanon_sql.anonymize(
        numbered,
        k=k,
        quasi_identifiers=columns,
        masks=masks,
        keep=[_ROW],
        algorithm=algorithm,
        time_limit=TIME_LIMIT if algorithm == "optimal" else None,
    )
    released = release.table.sort_by(_ROW).drop([_ROW])
    number = class_numbers(released)
    sizes = np.bincount(number)
    cells = sum(released.column(column).null_count - source.column(column).null_count for column in columns)
    certificate = release.certificate
    if sizes.min() < k or cells != certificate.cost or cells < certificate.lower_bound:
        raise AssertionError(f"{name}, k = {k}, {algorithm}: the release is not what it says; hint: run the tests")
    return {
        "table": name,
        "rows": source.num_rows,
        "columns": source.num_columns,
        "masks": len(masks),
        "k": k,
        "algorithm": algorithm,
        "s": cells,
        "u": float(usefulness(source, number)),
        "h": len(sizes),
        "h_avg": source.num_rows / len(sizes),
        "h_max": int(sizes.max()),
        "seconds": certificate.seconds,
        "lower_bound": int(certificate.lower_bound),
        "bound_method": certificate.bound_method,
        "status": certificate.status.value,
        "reason": certificate.reason,
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one table per data set."""
    for name in dict.fromkeys(record["table"] for record in records):
        own = [record for record in records if record["table"] == name]
        head = own[0]
        title = f"{name}: {head['rows']:,} rows x {head['columns']} columns, {head['masks']} masks, limit {TIME_LIMIT} s"
        drawn = Table(title=title)
        drawn.add_column("k", justify="right")
        drawn.add_column("algorithm")
        for column in ("s", "u", "#h", "h avg", "h max", "seconds", "bound"):
            drawn.add_column(column, justify="right")
        drawn.add_column("status")
        drawn.add_column("greedy / optimal", justify="right")
        for each in own:
            ratio = each.get("greedy_ratio")
            drawn.add_row(
                str(each["k"]),
                each["algorithm"],
                f"{each['s']:,}",
                f"{each['u']:.3f}",
                f"{each['h']:,}",
                f"{each['h_avg']:.1f}",
                f"{each['h_max']:,}",
                f"{each['seconds']:.3f}",
                f"{each['lower_bound']:,}",
                each["status"],
                "" if ratio is None else f"{ratio:.4f}",
                end_section=ratio is not None,
            )
        console.print(drawn)
