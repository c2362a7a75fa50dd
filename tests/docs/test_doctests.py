"""Every public name has an example in its docstring, and all examples of the package run."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

import kanon_sql

ROOT = Path(__file__).resolve().parent.parent.parent
WITH_EXAMPLES = sorted(
    path
    for folder in ("kanon_sql", "udfs")
    for path in (ROOT / folder).rglob("*.py")
    if re.search(r"^ *>>> (?!.*# doctest: \+SKIP)", path.read_text(encoding="utf-8"), re.MULTILINE)
)


@pytest.mark.parametrize("name", kanon_sql.__all__)
def test_every_public_name_has_an_example(name: str) -> None:
    docstring = getattr(kanon_sql, name).__doc__
    assert "    Examples\n    --------\n    >>> " in docstring, name


@pytest.mark.sweep
@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_examples_of_docstrings_run(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(parts if parts[0] == "kanon_sql" else ("kanon_sql", *parts)).removesuffix(".__init__")
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted
    assert not found.failed
