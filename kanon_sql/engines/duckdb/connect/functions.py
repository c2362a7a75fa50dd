"""How a Python function becomes an SQL function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.connect.resources import way_out
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.errors import InternalError, InterruptedReleaseError, KanonError, SourceError, raise_alone


def refusing_query(words: str) -> str:
    """Return a query that cannot be bound; the error says these words."""
    return f"FROM system.main.query(system.main.error({literal(words)}))"


_ASKS = "kanon_certificates"
"""The one function that is no part of a release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A scalar function to register."""

    name: str  # its name in SQL
    returns: str  # its return type in SQL
    call: Callable[..., Any]  # the function; called with ``Session`` first
    parameters: tuple[()] | None = None  # ``()`` for a function without arguments; None takes any number of any type
    arrow: bool = False  # whether it takes and returns Arrow arrays instead of values
    side_effects: bool = False  # whether each call counts, so that DuckDB may not fold or repeat it
    # makes the words of an error of ours a result, with which the statement fails: what a Python function raises reaches the
    # user of a plain DuckDB connection behind words about Python
    refused: Callable[[str], Any] | None = None

    def bound(self, session: Session) -> Callable[..., Any]:
        """Return the function for one session; what it raises is kept for the caller."""

        def call(*arguments: Any) -> Any:
            if self.name != _ASKS:
                session.binding.touch()
            try:
                return self.call(session, *arguments)
            except KanonError as error:
                session.failures.add(error)
                if self.refused is None:
                    raise
                return self.refused(f"{type(error).__name__}: {error}")
            except MemoryError as error:
                short = SourceError(f"there is not enough memory; nothing was released; hint: {way_out(error)}")
                session.failures.add(short)
                raise_alone(short)
            except Exception as error:  # its words may quote a value
                broken = InternalError.of(error)
                session.failures.add(broken)
                raise_alone(broken)
            except KeyboardInterrupt:
                stopped = InterruptedReleaseError("the release was interrupted; nothing was released")
                session.failures.add(stopped)
                raise_alone(stopped)

        def bare() -> Any:
            return call()

        # DuckDB counts the parameters of the Python function where the SQL function has none.
        return call if self.parameters is None else bare
