"""How guarantees are written: in the clause, and as options of functions and commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """What follows the column of a guarantee in the brackets of the clause.

    Parameters
    ----------
    what : str, optional
        What an error calls the text that is missing; None for a number.
    hint : str, optional
        What the error proposes; None for the example of the guarantee.
    needed : bool
        Whether it must be there.
    """

    what: str | None = None
    hint: str | None = None
    needed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How the clause writes a guarantee: ``word(column, argument, ...) sign number``.

    Parameters
    ----------
    word : str
        The word that it begins with.
    sign : str
        The comparison between it and its number.
    example : str
        What a hint shows.
    threshold : str
        The field that the number is.
    about : str
        The field that is named in brackets: a column, or a table of the population.
    arguments : mapping of Argument
        By the field that each becomes, in their order.
    """

    word: str
    sign: str
    example: str
    threshold: str
    about: str = "sensitive"
    arguments: Mapping[str, Argument] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of every function and command that releases tables.

    Parameters
    ----------
    help : str
        What a command says of it.
    form : str
        What its value is: a number, a name or a file.
    """

    help: str
    form: str = "NUMBER"
