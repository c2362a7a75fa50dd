"""The pages of the documentation: their headings, their links, and their blocks of code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("**/*.md"))
DOCUMENTS = [ROOT / "README.md", *PAGES]

# These pages make their own tables; the others use the tables of tables/*.sql.
ON_THEIR_OWN = {"README.md", "index.md", "quickstart.md", "choose.md", "troubleshooting.md", "limits.md", "python.md"}
ON_THE_TABLES = {"notebooks.md", "without_python.md"}

NOT_RUN = re.compile(r"<!-- not run: \S.*-->")
REFUSED = "<!-- not run: it is refused -->"

_NEEDS = re.compile(r"<!-- needs: (\S.*) -->")
_TEMPLATE = re.compile(r"\{\{.*\}\}|\{%.*%\}")
_FENCE = re.compile(r"^(```+)(\w*)$")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$")
_LINK = re.compile(r"(?<!!)\[(?:[^][]|\[[^][]*\])*\]\(([^()\s]+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of code.

    Parameters
    ----------
    language : str
        What stands behind the fence; empty for grammars and the like.
    text : str
        What stands in it.
    line : int
        The line of its first fence.
    shown : str or None
        The block of ``text`` right below it: what a reader is told to see.
    run : bool
        Whether it can run: no comment in front of it says that it cannot, and it is no template of dbt.
    needs : tuple of str
        Modules that it imports and that kanon-sql does without, as a comment in front of it says.
    refused : bool
        Whether the block of ``text`` below it is the error that it ends with.
    """

    language: str
    text: str
    line: int
    shown: str | None
    run: bool
    needs: tuple[str, ...]
    refused: bool


def named(path: Path) -> str:
    """Return the path of a page as it is called in messages."""
    return path.relative_to(ROOT).as_posix()


def on_its_own(path: Path) -> bool:
    """Tell whether a page makes all the tables that it speaks of."""
    return path.name in ON_THEIR_OWN or (path.parent.name == "how_to" and path.name not in ON_THE_TABLES)


@cache
def blocks(path: Path) -> tuple[Block, ...]:
    """Return the blocks of a page, in order."""
    found: list[Block] = []
    lines = path.read_text(encoding="utf-8").split("\n")
    place, last, mark = 0, -2, ""
    while place < len(lines):
        fence = _FENCE.match(lines[place])
        if fence is None:
            mark = lines[place] or mark
            place += 1
            continue
        end = lines.index(fence[1], place + 1)
        text = "\n".join(lines[place + 1 : end])
        if fence[2] == "text" and found and not any(lines[last:place]):
            found[-1] = replace(found[-1], shown=text)
        else:
            run = NOT_RUN.fullmatch(mark) is None and not _TEMPLATE.search(text)
            needs = _NEEDS.fullmatch(mark)
            modules = tuple(needs[1].split()) if needs else ()
            refused = mark == REFUSED
            block = Block(language=fence[2], text=text, line=place + 1, shown=None, run=run, needs=modules, refused=refused)
            found.append(block)
        place = last = end + 1
        mark = ""
    return tuple(found)


@cache
def prose(path: Path) -> str:
    """Return a page without its code; lines stay where they are."""
    kept: list[str] = []
    fence = ""
    for line in path.read_text(encoding="utf-8").split("\n"):
        match = _FENCE.match(line)
        if fence:
            fence = "" if line == fence else fence
            kept.append("")
        elif match:
            fence = match[1]
            kept.append("")
        else:
            kept.append(line)
    return "\n".join(kept)


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    seen: Counter[str] = Counter()
    found: set[str] = set()
    for line in prose(path).split("\n"):
        heading = _HEADING.match(line)
        if heading is None:
            continue
        slug = slug_of(heading[1])
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return frozenset(found)


def slug_of(heading: str) -> str:
    """Return the anchor of a heading: small letters, no punctuation, a hyphen for each blank."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def links(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the target of each link of a page."""
    for number, line in enumerate(prose(path).split("\n"), 1):
        # A code span may hold brackets that are no link; a link may hold a code span.
        for match in _LINK.finditer(re.sub(r"`[^`]*`", lambda span: "`" * len(span[0]), line)):
            yield number, match[1]
