"""What all tests share: a registered connection, and a deterministic hypothesis with few or all of its examples."""

from __future__ import annotations

import gc
import os
import runpy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import hypothesis
import pytest
from scratch import Kept, scratch

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.connect.registration import session_of

os.environ["KANON_SECRET"] = "of the tests"  # also for the processes that they start: none makes a file for the user

hypothesis.settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("deterministic")


TENTH = 10
"""Every tenth case of a sweep is in the default layer, the others are in `everything`."""

FEWEST = 5
"""Examples of a property in the default layer, where a tenth of them are fewer."""


def pytest_configure(config: pytest.Config) -> None:
    """Build the macros in plain SQL where a part of them has changed, once for all workers."""
    if not hasattr(config, "workerinput"):
        runpy.run_path(str(Path(__file__).resolve().parent.parent / "build_sql.py"), run_name="__main__")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect the tests without looking for garbage, and never look at what is there then: it stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_unconfigure() -> None:
    """Let the interpreter free everything when it ends: otherwise modules report leaks."""
    gc.unfreeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave every tenth case of each sweep in the default layer."""
    cases: Counter[str] = Counter()
    for item in items:
        if item.get_closest_marker("sweep"):
            test = item.nodeid.partition("[")[0]
            if cases[test] % TENTH:
                item.add_marker("everything")
            cases[test] += 1


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each property twice: with few examples by default, and with all of them in the layer `everything`."""
    if hasattr(metafunc.function, "hypothesis"):
        every = pytest.param("all", marks=pytest.mark.everything)
        metafunc.parametrize("examples", ["few", every], indirect=True)


@pytest.fixture(autouse=True)
def examples(request: pytest.FixtureRequest) -> None:
    """Let a property with the parameter "few" draw a tenth of its examples; leave other tests alone."""
    if getattr(request, "param", "all") == "few":
        function = getattr(request.function, "__func__", request.function)  # a method takes no attributes
        every: hypothesis.settings = function._hypothesis_internal_use_settings
        few = min(every.max_examples, max(FEWEST, every.max_examples // TENTH))
        reduced = hypothesis.settings(every, max_examples=few)
        request.getfixturevalue("monkeypatch").setattr(function, "_hypothesis_internal_use_settings", reduced)


@pytest.fixture(scope="session")
def kept() -> Iterator[Kept]:
    """A connection with the table functions."""
    with kanon_sql.register(duckdb.connect()) as connection:
        yield Kept.of(connection)


@pytest.fixture(scope="module")
def registered(kept: Kept) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same, for all tests of a module, without releases; they leave no trace on it."""
    with kept.untouched() as connection:
        session_of(connection)._releases.clear()
        yield connection


@pytest.fixture
def shared(registered: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """The shared connection, with an empty database."""
    with scratch(registered) as connection:
        yield connection


@pytest.fixture
def con(request: pytest.FixtureRequest) -> Iterator[duckdb.DuckDBPyConnection]:
    """The shared connection in memory with the table functions; where the test is so marked, one of its own."""
    if request.node.get_closest_marker("own_connection"):
        with kanon_sql.register(duckdb.connect()) as connection:
            yield connection
    else:
        yield request.getfixturevalue("shared")


@pytest.fixture(scope="session")
def kept_clause() -> Iterator[Kept]:
    """A connection that also understands the clause."""
    with kanon_sql.connect() as connection:
        yield Kept.of(connection)


@pytest.fixture(scope="module")
def connected(kept_clause: Kept) -> Iterator[Connection]:
    """The same, for all tests of a module, without releases; they leave no trace on it."""
    with kept_clause.untouched() as connection:
        connection.session._releases.clear()
        yield connection


@pytest.fixture
def shared_clause(connected: Connection) -> Iterator[Connection]:
    """The shared connection that understands the clause, with an empty database."""
    with scratch(connected) as connection:
        yield connection


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data(root: Path) -> Path:
    """The folder of the data sets, which are not part of the project."""
    folder = root.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the data sets are not there (shared/data beside the project)")
    return folder
