"""Refusals of the product, as a careless user meets them: the text, and the class and columns if the error carries them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from benchmarks.careless.walk import RefusedError
from kanon_sql.errors import InternalError, KanonError

SECRET = "of the careless"

_KIND = re.compile(r"\b(\w+Error): ")


@contextmanager
def refusals(*, foreign: bool = False) -> Iterator[None]:
    """Turn what the product raises into `RefusedError`; all else passes.

    Parameters
    ----------
    foreign : bool
        Whether the errors are those of DuckDB, which wrap the text of the product.
    """
    try:
        yield
    except InternalError:
        raise
    except KanonError as error:
        columns = tuple(getattr(error, "columns", ()) or ()) or ((error.column,) if getattr(error, "column", "") else ())
        raise RefusedError(str(error), type(error).__name__, tuple(map(str, columns))) from error
    except duckdb.Error as error:
        text = str(error).partition("\n")[0]
        kinds = [each for each in _KIND.findall(text) if each != "Error"]
        if not foreign or "InternalError" in text or not (kinds or "kanon: " in text):
            raise
        raise RefusedError(text, kinds[0] if kinds else "") from error
