"""What kernels take from Cython, where they run uncompiled: types that convert and decorators that do nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

_Item = TypeVar("_Item")

compiled = False
longlong = ulonglong = int
double: Any = float  # else mypy takes an array of them, `double[::1]`, for one


def _unchanged(item: _Item) -> _Item:
    """Return a class or a function as it is."""
    return item


cclass = ccall = cfunc = final = _unchanged


class _Nogil(nullcontext[None]):
    """A decorator and a context."""

    def __call__(self, item: _Item) -> _Item:
        return item


nogil = _Nogil()


def exceptval(*, check: bool) -> Callable[[_Item], _Item]:  # noqa: ARG001
    """Return a decorator that does nothing."""
    return _unchanged


def overflowcheck(check: bool) -> Callable[[_Item], _Item]:  # noqa: ARG001
    """Return a decorator that does nothing."""
    return _unchanged


def cast(kind: Callable[[Any], Any], value: Any) -> Any:
    """Convert a number."""
    return kind(value)


def declare(kind: Callable[[Any], Any], value: Any) -> Any:
    """Return the value of a constant."""
    return kind(value)
