"""JSON files that DuckDB cannot read: where they are broken."""

from __future__ import annotations

import json
from contextlib import suppress
from io import TextIOWrapper

from kanon_sql.engines.duckdb.files.csv_files import files_of
from kanon_sql.engines.duckdb.files.encodings import opened
from kanon_sql.engines.duckdb.files.places import Place

_LONGEST = 1 << 28
"""Characters of a file that are read: an array is read as a whole."""


def json_trouble(place: Place) -> str | None:
    """Return where a JSON file cannot be read, and what to do; None if it is of another kind, or can be read.

    Notes
    -----
    Reads the files once more, so it is for files that DuckDB has refused. No value is quoted: it may be about a person.
    """
    paths = files_of(place) if place.kind in ("json", "jsonl") else []
    for path in paths:
        with suppress(OSError, EOFError), TextIOWrapper(opened(path), "utf-8") as text:
            try:
                whole = text.read(_LONGEST)
            except UnicodeDecodeError:
                return "it is not in UTF-8; hint: export it again, as JSON in UTF-8"
            where = "" if len(paths) == 1 else f"{path}: "
            for number, part in enumerate(whole.splitlines() if place.kind == "jsonl" else [whole], 1):
                try:
                    json.loads(part or "null")
                except json.JSONDecodeError as error:
                    line = number if place.kind == "jsonl" else error.lineno
                    place_of = f"{where}line {line}, column {error.colno}"
                    return f"{place_of} is not JSON: {error.msg}; hint: repair it, or export it again"
    return None
