"""Errors of Spark without their words, which quote values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kanon_sql.errors import InternalError, KanonError, SourceError, raise_alone

_THEIRS = ("pyspark", "py4j", "grpc")


@contextmanager
def safe_errors(doing: str) -> Iterator[None]:
    """Raise what Spark raises meanwhile as an error that tells its kind only.

    Parameters
    ----------
    doing : str
        What is being done, as in "reading the source".

    Raises
    ------
    SourceError
        In place of an error of Spark.
    InternalError
        In place of any other that is not ours.
    """
    try:
        yield
    except KanonError:
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] in _THEIRS:
            raise_alone(
                SourceError(f"Spark failed while {doing}: {_kind(error)}; nothing was released; hint: see the Spark log")
            )
        raise_alone(InternalError.of(error))


def _kind(error: Exception) -> str:
    """Return what Spark calls the error: a condition such as DIVIDE_BY_ZERO, else its type."""
    condition = getattr(error, "getCondition", lambda: None)()
    return str(condition or type(error).__name__)
