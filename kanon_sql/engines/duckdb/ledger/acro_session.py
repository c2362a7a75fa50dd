"""The output folder of an ACRO session as tables of a ledger: its ``results.json`` says what each of its CSV files is.

ACRO computes the totals of a suppressed or rounded table from the cells that it shows. Such totals count other people, so only
the cells are read.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kanon_sql.engines.duckdb.connect.resources import system_words
from kanon_sql.engines.duckdb.ledger.acro_layout import cells_of
from kanon_sql.engines.duckdb.ledger.count_texts import CountTexts
from kanon_sql.engines.duckdb.ledger.published_counts import published_row
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.published_table import PublishedRow, PublishedTable

_COUNTS = "Frequencies"
"""What ACRO calls tables of counts."""

_READ = ("index", "columns", "data")
"""Arguments of its functions that are columns of a data frame, or the data frame."""


def acro_tables(folder: str, state: str | None = None) -> tuple[list[PublishedTable], list[str]]:
    """Return the tables of counts of a session, and remarks: what was skipped and why, and what is not known.

    Raises
    ------
    SourceError
        When the folder is not a session, or has no table of counts.
    """
    place = Path(folder)
    results = _json(place / "results.json").get("results")
    if not isinstance(results, dict):
        raise _not_a_session(place)
    threshold = _json(place / "config.json").get("safe_threshold") if (place / "config.json").is_file() else None
    frames = {name: _frame(str(output.get("command", ""))) for name, output in results.items() if isinstance(output, dict)}
    everybody = next(iter(Counter(each for each in frames.values() if each).most_common(1)), (None, 0))[0]
    tables, remarks = [], []
    for name, output in results.items():
        try:
            rows, keys = _rows(place, output, threshold)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            why = str(error).partition("; hint")[0] if isinstance(error, SourceError) else "its record has an unknown form"
            remarks.append(f"skipped {name}: {why}")
            continue
        if frames[name] is None:
            remarks.append(f"{name}: its data frame is not recorded; taken for everybody")
        table = PublishedTable(number=0, name=f"{place.resolve().name}/{name}", keys=keys, rows=rows, state=state or None)
        tables.append(replace(table, condition=_condition(output, frames[name], everybody)))
    if not tables:
        raise SourceError(f"{folder} has no table of counts; hint: add tables of counts only")
    return tables, remarks


def _rows(place: Path, output: Mapping[str, Any], threshold: Any) -> tuple[tuple[PublishedRow, ...], tuple[str, ...]]:
    """Return the rows of an output, and its keys.

    Raises
    ------
    SourceError
        With the reason why it is not a table of counts.
    """
    if output["type"] != "table":
        raise SourceError(f"it is not a table ({output['type']})")
    if "fair" not in output:
        raise SourceError("its keys are not recorded, as by ACRO before version 1")
    fair = output["fair"]
    if fair["statbarn"] != _COUNTS:
        raise SourceError(f"its cells are not counts ({fair['statbarn']})")
    if len(output["files"]) != 1:
        raise SourceError("it has several files")
    file = Path(output["files"][0]["name"]).name
    keys = tuple(map(str, fair["independent"]))
    properties = output["properties"]
    suppressing, rounding = properties["mitigation"] == "suppress", properties["mitigation"] == "round"
    texts = CountTexts(rounded=int(properties["round_base"])) if rounding else CountTexts()
    rows, cells = [], list(cells_of(place / file, keys))
    without_totals = rounding or (suppressing and not all(text for _, text in cells))
    for labels, text in cells:
        if not text and not suppressing:
            continue  # a total of nobody is empty
        if without_totals and None in labels:
            continue
        if not text:  # cells below the threshold, empty ones among them
            most = int(threshold) - 1 if isinstance(threshold, int) else None
            rows.append(PublishedRow(keys=labels, lower=0, upper=most, suppressed=True))
        else:
            rows.append(published_row(labels, text, texts, file))
    if not rows:
        raise SourceError("it shows no cells")
    if len({each.keys for each in rows}) < len(rows):
        raise SourceError("two of its cells have the same labels")
    return tuple(rows), keys


def _condition(output: Mapping[str, Any], frame: str | None, everybody: str | None) -> str | None:
    """Return who is counted: those in a data frame, and those who have the value that is counted.

    The data frame that most outputs read is everybody; ACRO does not record how the others were selected from it.
    """
    parts = [] if frame in (None, everybody) else [quoted(str(frame))]
    dependent = output["fair"].get("dependent")
    if isinstance(dependent, str) and dependent not in ("", "unknown"):
        parts.append(f"{quoted(dependent)} IS NOT NULL")
    return " AND ".join(parts) or None


def _frame(command: str) -> str | None:
    """Return the data frame that a command reads, as the command spells it; None if it reads several, or is not Python.

    Examples
    --------
    >>> _frame("acro.crosstab(df[df.age > 14].region, df[df.age > 14]['sex'])")
    'df[df.age > 14]'
    >>> _frame("acro.pivot_table(df, index=['region'])")
    'df'
    """
    try:
        calls = [each for each in ast.walk(ast.parse(command.strip())) if isinstance(each, ast.Call)]
    except (SyntaxError, ValueError):
        return None
    if not calls:
        return None
    arguments = list[ast.expr]()
    for each in (*calls[0].args, *(word.value for word in calls[0].keywords if word.arg in _READ)):
        arguments += each.elts if isinstance(each, ast.List | ast.Tuple) else [each]
    found = {ast.unparse(_whole(each)) for each in arguments if not isinstance(each, ast.Constant)}
    return found.pop() if len(found) == 1 else None


def _whole(expression: ast.expr) -> ast.expr:
    """Return the data frame that an expression takes a column of."""
    if isinstance(expression, ast.Attribute):
        return expression.value
    if isinstance(expression, ast.Subscript) and isinstance(expression.slice, ast.Constant):
        return expression.value
    return expression


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise_alone(_not_a_session(path.parent))
    except OSError as error:
        raise_alone(SourceError(f"cannot read {path}: {system_words(error)}"))
    except ValueError:
        raise_alone(SourceError(f"{path} is not JSON; hint: run acro.finalise again"))
    if not isinstance(found, dict):
        raise _not_a_session(path.parent)
    return found


def _not_a_session(folder: Path) -> SourceError:
    return SourceError(f"{folder} is not an ACRO session; hint: pass the folder that acro.finalise wrote, with results.json")
