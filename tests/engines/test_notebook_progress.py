"""Live progress in a notebook, without a callback."""

from __future__ import annotations

import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.notebook import progress as notebook
from kanon_sql.solvers.budget import Moment

BETTER = Moment(step="local search", done=0.5, cost=Fraction(20), lower_bound=Fraction(15))


class Displayed(list[dict[str, str]]):
    """What a notebook was given to display, in place of its front end."""

    def __call__(self, data: dict[str, str], **options: Any) -> Displayed:
        self.append(data)
        return self

    update = __call__


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> Displayed:
    """A kernel of a notebook whose front end is a list; every moment is shown."""
    found = Displayed()
    kernel = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=found))
    monkeypatch.setattr(notebook, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook, "INTERVAL", 0.0)
    return found


def test_a_release_shows_where_it_stands(displayed: Displayed) -> None:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i % 7 AS a, i % 11 AS b, i % 13 AS c FROM range(400) AS r(i)")
        con.execute("FROM k_anonymize('t', 5)").fetchall()
        assert len(displayed) > 1
        assert "<progress aria-label=" in displayed[0]["text/html"]
        assert "cost" in displayed[-1]["text/plain"]
        assert "<progress" not in displayed[-1]["text/html"]
        displayed.clear()
        con.watch(lambda moment: None)
        con.execute("FROM k_anonymize('t', 5)").fetchall()
        assert displayed == []


def test_quick_work_shows_nothing(displayed: Displayed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "PATIENCE", 60.0)
    session = Session("of the test")
    session.search.ready()
    session.search.report(BETTER)
    session.search.rest()
    assert displayed == []


def test_a_display_that_fails_ends_no_release(displayed: Displayed, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise OSError("the front end is gone")

    monkeypatch.setattr(sys.modules["IPython.display"], "display", broken)
    live = notebook.live_progress()
    assert live is not None
    live(BETTER)
    live.close()


def test_elsewhere_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert notebook.live_progress() is None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=SimpleNamespace))
    assert notebook.live_progress() is None
    monkeypatch.delitem(sys.modules, "IPython")
    assert notebook.live_progress() is None
