"""Calls of DuckDB that see the variables of the program, as if it had called DuckDB itself."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_WRAPPER, _PACKAGE = (str(Path(__file__).parents[above]) + os.sep for above in (1, 3))

_NAME = "kanon#call"
_CALL = compile("call()", __file__, "eval").replace(co_names=(_NAME,))
"""Calls what has this name, which no variable of a program can have."""


def as_caller(call: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
    """Call a method of DuckDB from a frame that has the variables of the first caller outside of this package.

    Parameters
    ----------
    call : callable
        A method of DuckDB, called with ``arguments`` and ``options``.

    Notes
    -----
    DuckDB takes an unknown table for a variable of the frame that calls it. Our own frames would be in the way: they would hide
    the caller's, and their variables are nobody's tables. The commands of this package have no variables to show, so a call of
    theirs sees none. All else is up to DuckDB: a table of the database comes first, and ``python_enable_replacements`` holds.
    """
    variables, names = _variables()
    names[_NAME] = functools.partial(call, *arguments, **options)
    return eval(_CALL, variables, names)  # noqa: S307 - the text is ours


def streams() -> set[str]:
    """Return the variables that the caller of this package has, and that can be read only once."""
    return {name for each in _variables() for name, value in each.items() if is_stream(value)}


def is_stream(value: object) -> bool:
    """Return whether an object can be read only once: a reader of Arrow."""
    arrow = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(value, arrow.RecordBatchReader)


def _variables() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the global and the local variables of the first caller outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_WRAPPER):
        frame = frame.f_back
    shown = not frame.f_code.co_filename.startswith(_PACKAGE)
    return (frame.f_globals, dict(frame.f_locals)) if shown else ({}, {})
