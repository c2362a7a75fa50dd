"""How guarantees are written: in the clause, and as options of functions and commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """What follows the column of a guarantee in the brackets of the clause."""

    what: str | None = None  # what an error calls the text that is missing; None for a number
    hint: str | None = None  # what the error proposes; None for the example of the guarantee
    needed: bool = False  # whether it must be there


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How the clause writes a guarantee: ``word(column, argument, ...) sign number``."""

    word: str  # the word that it begins with
    sign: str  # the comparison between it and its number
    example: str  # what a hint shows
    threshold: str  # the field that the number is
    about: str = "sensitive"  # the field that is named in brackets: a column, or a table of the population
    # by the field that each becomes, in their order
    arguments: Mapping[str, Argument] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of every function and command that releases tables."""

    help: str  # what a command says of it
    form: str = "NUMBER"  # what its value is: a number, a name or a file
