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
    text = file.read_text(encoding="utf-8")
    section = re.compile(rf"^-- name: (.*?)\n(.*?)\n-- {outcome}:[ \n](.*?)(?=\n-- name: |\n?\Z)", re.DOTALL | re.MULTILINE)
    return [Pair(*match.groups()) for match in section.finditer(text)]
