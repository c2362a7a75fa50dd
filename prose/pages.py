"""The sentences of Markdown pages, without their code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Text(NamedTuple):
    """A text that people read, and the line of a file where it begins."""

    path: str
    line: int
    text: str


_CODE = "`x`"
"""A word that no rule is about."""

_INLINE = re.compile(r"(`+)[^`].*?\1", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_FENCE = re.compile(r" *(`{3,}|~{3,})")
_BLOCK = re.compile(r"^\s*(?:[-*+]|\d+\.|#+|>|!!!|\?\?\?|===)\s")
_MARKUP = re.compile(
    r"<[^>]+>|\*\*|(?<!\w)[*_]|[*_](?!\w)|^\s*(?:[-*+]|\d+\.|#+|>|!!!|\?\?\?|===)\s+|\{[:#.][^}]*\}", re.MULTILINE
)


def pages() -> list[Path]:
    """Return the pages that people read, without those that a package of dbt brings."""
    found = {path for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", ".github/**/*.md") for path in ROOT.glob(pattern)}
    return sorted(path for path in found if "dbt_packages" not in path.parts)


def of_page(path: Path) -> Iterator[Text]:
    """Yield the paragraphs, list items and table cells of a page."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()
    for line, block in _blocks(path.read_text(encoding="utf-8")):
        plain = _LINK.sub(r"\1", _INLINE.sub(_CODE, block))
        cells = re.split(r"(?<!\\)\|", plain) if plain.lstrip().startswith("|") else [plain]
        for cell in cells:
            if text := _MARKUP.sub("", cell).strip():
                yield Text(name, line, text)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the blocks of prose with the numbers of their lines."""
    block: list[str] = []
    start, fence = 1, None
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence is not None or mark:
            fence = mark.group(1) if fence is None and mark else None if mark and mark.group(1) == fence else fence
            new = True
        else:
            new = not line.strip() or line.lstrip().startswith("|") or _BLOCK.match(line) is not None
        if new and block:
            yield start, "\n".join(block)
            block = []
        if fence is None and not mark and line.strip():
            start = number if not block else start
            block.append(line)
    if block:
        yield start, "\n".join(block)
