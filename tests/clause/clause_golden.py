"""Read the golden files: sections of a name, an input, and what becomes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).parent.parent / "golden"


@dataclass(frozen=True)
class Pair:
    name: str
    statement: str
    outcome: str


def read(file: Path, outcome: str) -> list[Pair]:
    pairs = []
    for section in re.split("^-- name: ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, rest = section.removesuffix("\n").partition("\n")
        statement, found, told = rest.partition(f"\n-- {outcome}:")
        if found:
            pairs.append(Pair(name, statement, told[1:]))
    return pairs
