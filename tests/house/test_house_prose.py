"""What people read is spelled right, and uses one word for one thing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_house_words import EVERYWHERE

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", ".github/**/*.md")
    for path in ROOT.glob(pattern)
    if "dbt_packages" not in path.parts
)
SOURCES = [path for folder in ("kanon_sql", "udfs", "sql") for path in sorted((ROOT / folder).rglob("*.*"))]
BUILT = {*(ROOT / "sql").glob("*.sql")}  # their parts are checked; names of columns in eight languages are in them, too
TEXTS = [path for path in SOURCES if path.suffix in {".py", ".pxd", ".sql", ".j2"} and path not in BUILT]

WORDS = Path(__file__).with_name("words.txt")
"""What the spell checker would correct, and is right, one word a line."""

IN_PROSE = {word: better for word, better in EVERYWHERE.items() if word not in {"marks", "room"}} | {
    "kinds": "distinct combinations"
}
"""The words that no page has a use for; rows are also marked, and there is room for values."""

CODE = re.compile(r"^(```+).*?^\1$|`[^`]*`|\]\([^)]*\)", re.DOTALL | re.MULTILINE)


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def misspelled(*arguments: str) -> int:
    codespell = pytest.importorskip("codespell_lib", reason="codespell is not installed; hint: pip install 'kanon-sql[dev]'")
    found = codespell.main("--ignore-words", str(WORDS), *arguments)
    assert isinstance(found, int)
    return found


def of_our_own(text: str) -> list[str]:
    """Return the words of a page that have a standard word, each beside it; code and links are read over."""
    used = set(re.findall(r"[a-z]+", CODE.sub(" ", text).casefold()))
    return [f"{word}: {IN_PROSE[word]}" for word in sorted(used & IN_PROSE.keys())]


@pytest.mark.everything
def test_pages_are_spelled_right(capsys: pytest.CaptureFixture[str]) -> None:
    found = misspelled("--builtin", "clear,rare,names,informal", *map(str, PAGES))
    assert not found, capsys.readouterr().out


@pytest.mark.everything
def test_sources_are_spelled_right(capsys: pytest.CaptureFixture[str]) -> None:
    found = misspelled(*map(str, TEXTS))
    assert not found, capsys.readouterr().out


@pytest.mark.everything
def test_a_misspelled_page_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.md").write_text("A Jupyter notebook that they recieve.\n")
    assert misspelled(str(tmp_path / "page.md"))
    assert "recieve ==> receive" in capsys.readouterr().out


@pytest.mark.parametrize("path", PAGES, ids=place)
def test_pages_use_standard_words(path: Path) -> None:
    assert not of_our_own(path.read_text(encoding="utf-8"))


def test_words_of_our_own_are_found_outside_of_code() -> None:
    text = "It keeps its promises to `spare` rows.\n\n```sql\nSELECT promise\n```\n[all](spare.md) kinds"
    assert of_our_own(text) == ["kinds: distinct combinations", f"promises: {IN_PROSE['promises']}"]
