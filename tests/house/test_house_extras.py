"""Extras: `shell` brings what the command and the shell need, `all` brings what every surface needs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


def packages(extra: str) -> set[str]:
    """Return the packages of an extra and of the extras that it names."""
    found = set()
    for each in EXTRAS[extra]:
        if inner := re.match(r"kanon-sql\[([a-z,]+)\]", each):
            found |= {package for name in inner[1].split(",") for package in packages(name)}
        else:
            found.add(re.split(r"[>=<;\[ ]", each)[0])
    return found


def test_the_shell_reads_policies_and_installs_nothing_for_reports() -> None:
    assert packages("shell") >= packages("yaml")
    assert not packages("shell") & packages("report")


def test_all_brings_each_extra_of_users() -> None:
    assert packages("all") == {package for name in EXTRAS if name not in ("docs", "dev") for package in packages(name)}


def test_each_missing_package_names_an_extra() -> None:
    raised = [
        named
        for path in (ROOT / "kanon_sql").rglob("*.py")
        for named in re.findall(r'MissingPackageError\.of\("[^"]+", [^,]+, "(\w+)"', path.read_text(encoding="utf-8"))
    ]
    assert {"shell", "yaml", "report", "excel", "spark", "serve", "studio"} == set(raised) <= set(EXTRAS)
