"""A search is read from its loop: it is the first function of its file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOLVERS = Path(__file__).resolve().parent.parent.parent / "kanon_sql" / "solvers"

SEARCHES = (
    "cells/destroy_repair.py",
    "k_anonymity/destroy_repair.py",
    "k_anonymity/neighbourhoods.py",
    "labels/regions.py",
    "microaggregation/exchange.py",
    "sensitive/local_search.py",
    "summaries/search.py",
)
"""Local searches and large neighbourhoods. That of known columns is a class: its phases are its first method."""


@pytest.mark.parametrize("name", SEARCHES)
def test_the_loop_of_a_search_comes_first(name: str) -> None:
    tree = ast.parse((SOLVERS / name).read_text(encoding="utf-8"))
    first = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    assert any(isinstance(node, ast.While | ast.For) for node in ast.walk(first)), f"{first.name} has no loop"
    assert "budget" in {argument.arg for argument in first.args.args}, f"{first.name} has no budget"
