"""SECURITY.md guarantees nothing that no test and no lab checks, and gives no address away."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
LINKS = re.findall(r"\]\(([^()\s]+)\)", TEXT)
ATTACKS = [
    path for path in sorted((ROOT / "benchmarks" / "attacks").glob("*.py")) if "\nNAME = " in path.read_text(encoding="utf-8")
]

LABS = ("benchmarks/faults.py", "benchmarks/fuzz.py")


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def rows() -> list[list[str]]:
    """Return the cells of the tables of the threat model."""
    model = TEXT[TEXT.index("## Threat model") : TEXT.index("## The secret")]
    lines = [line for line in model.split("\n") if line.startswith("|") and not line.startswith(("| ---", "| guaranteed"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("target", sorted(set(LINKS)))
def test_every_link_leads_somewhere(target: str) -> None:
    place, _, anchor = target.partition("#")
    path = ROOT / place if place else ROOT / "SECURITY.md"
    assert path.is_file(), target
    assert not anchor or anchor in anchors(path.read_text(encoding="utf-8")), target


def test_every_file_that_is_named_is_linked_and_so_exists() -> None:
    named = set(re.findall(r"`((?:tests|benchmarks|docs)/[^`\s]+)`", TEXT))
    assert named
    assert named <= set(LINKS)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:40])
def test_every_guarantee_says_what_is_not_guaranteed_and_what_checks_it(row: list[str]) -> None:
    guaranteed, otherwise, checked = row
    assert guaranteed
    assert otherwise
    files = re.findall(r"\]\(([^()\s]+)\)", checked)
    assert files
    for file in files:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert "def test_" in text or "\nNAME = " in text or file in LABS, f"{file} holds no test and no attack"


def test_all_seven_of_the_threat_model_are_there() -> None:
    found = re.findall(
        r"^\*\*([A-Z][^*]+?)\.?\*\*", TEXT[TEXT.index("## Threat model") : TEXT.index("## The secret")], re.MULTILINE
    )
    assert found == [
        "The reader of a release",
        "The author of a database file",
        "The author of a policy file",
        "A concurrent writer",
        "A crash, a kill, a full disk",
        "Authors of SQL on the same connection",
        "Dependencies",
    ]


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_every_attack_of_the_lab_is_placed_in_the_threat_model(path: Path) -> None:
    assert path.relative_to(ROOT).as_posix() in LINKS


def test_no_address_of_a_person_is_published() -> None:
    assert not re.findall(r"[\w.+-]+@[\w-]+\.\w+", TEXT)
