"""Every error of kanon-sql: one root, one hint at the end of each message, never a cell value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from difflib import SequenceMatcher, get_close_matches
from typing import NoReturn, Self

_NEAR = 0.6
"""How alike two names are at least, of which one may be a misspelling of the other: twice the letters in common over all."""

_SHOWN = 200
"""Most characters of a statement that an error shows."""

_LISTED = 12
"""Most columns that an error lists."""


def nearest(
    value: object, known: Iterable[str], synonyms: Iterable[Collection[str]] = (), *, alike: float = _NEAR
) -> str | None:
    """Return the known name that a wrong one was probably meant to be, if any.

    Parameters
    ----------
    value : object
        The wrong name; anything but a text is like no name.
    known : iterable of str
        The names that there are. Upper and lower case, and hyphens and underscores, do not tell names apart.
    synonyms : iterable of collection of str
        Groups of names for one thing: a name of a group that is not known means the one that is.
    alike : float
        How alike the two are at least, from 0 to 1.

    Examples
    --------
    >>> nearest("native-cuntry", ["race", "native-country"])
    'native-country'
    >>> nearest("qi", ["k", "quasi_identifiers"], synonyms=[("quasi_identifiers", "qi")])
    'quasi_identifiers'
    """
    near = _equally_near(value, known, synonyms, alike)
    return near[0] if near else None


def use_one_of(names: Iterable[str]) -> str:
    """Return the hint to use one of some names."""
    listed = list(names)
    return f"use {'one of ' if len(listed) > 1 else ''}{', '.join(listed)}"


def hint_of(
    value: object,
    known: Iterable[str],
    otherwise: str,
    *,
    spelled: Callable[[str], str] = repr,
    synonyms: Iterable[Collection[str]] = (),
    always: bool = False,
) -> str:
    """Return the hint about an unknown name: the known ones that are nearest to it, or else what to know.

    Parameters
    ----------
    value, known, synonyms
        As for `nearest`.
    otherwise : str
        What the hint says if no known name is near.
    spelled : callable
        Spells a known name.
    always : bool
        Whether the hint says that in any case, after the known name.
    """
    near = " or ".join(map(spelled, _equally_near(value, known, synonyms, _NEAR)))
    if not near:
        return otherwise
    return f"did you mean {near}?" + (f" {otherwise[0].upper()}{otherwise[1:]}" if always else "")


def _equally_near(value: object, known: Iterable[str], synonyms: Iterable[Collection[str]], alike: float) -> list[str]:
    """Return the nearest known name, or several that are equally near, in the order of the known ones."""
    if not isinstance(value, str):
        return []
    meant = {_plain(name): name for name in known}
    for group in synonyms:
        there = [meant[_plain(name)] for name in group if _plain(name) in meant]
        meant |= {_plain(name): there[0] for name in group if there and _plain(name) not in meant}
    word = _plain(value)
    near = {name: SequenceMatcher(None, name, word).ratio() for name in get_close_matches(word, meant, n=_LISTED, cutoff=alike)}
    return list(dict.fromkeys(meant[name] for name in meant if name in near and near[name] == max(near.values())))


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_")


def raise_alone(error: BaseException) -> NoReturn:
    """Raise an error in place of the one that is being handled, and let go of that.

    Notes
    -----
    ``from None`` only hides the handled error from a printed traceback: it stays in ``__context__``, where debuggers and
    services that collect errors read it. The errors of DuckDB and of Python's own conversions quote cell values.
    """
    try:
        raise error from None
    finally:
        error.__context__ = None


class KanonError(Exception):
    """Root of all errors raised by kanon-sql."""

    _command = ""

    def command(self, hint: str) -> Self:
        """Set the hint that the command line shows instead of that of the message, and return the error."""
        self._command = hint
        return self

    def on_command_line(self) -> str:
        """Return the message in the words of the command line."""
        message, _, hint = str(self).partition("; hint: ")
        hint = self._command or hint
        return f"{message}; hint: {hint}" if hint else message

    def within(self, where: str) -> Self:
        """Return the error with words before it that say what it is about."""
        return type(self)(f"{where}: {self}").command(self._command)


class MissingPackageError(KanonError, ImportError):
    """A package that only some users need is not installed."""

    @classmethod
    def of(cls, user: str, package: str | None, extra: str, otherwise: str = "") -> MissingPackageError:
        """Name who needs the package, and the one command that installs it."""
        return cls(f"{user} needs the package {package}; hint: run pip install 'kanon-sql[{extra}]'{otherwise}")


class PolicyError(KanonError, ValueError):
    """An invalid or contradictory policy: wrong k, a column named twice, a mask over unknown columns."""


class UnknownColumnError(PolicyError):
    """A policy names a column that the table does not have.

    Attributes
    ----------
    column : str
        The column.
    """

    column: str = ""

    @classmethod
    def of(cls, column: str, known: Iterable[str], role: str, kind: str = "column") -> UnknownColumnError:
        """Name the column, who names it, and the columns of that kind that there are."""
        names = list(known)
        listed = ", ".join(f'"{name}"' for name in names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
        hint = hint_of(column, names, f"the {kind}s are {listed or 'none'}", spelled='"{}"'.format, always=True)
        wrong = f'unknown column "{column}" in {role}' if kind == "column" else f'"{column}" in {role} is not a {kind}'
        found = cls(f"{wrong}; hint: {hint}")
        found.column = column
        return found


class UnlistedColumnError(PolicyError):
    """A column without a role would identify people; nothing was released.

    Attributes
    ----------
    columns : tuple of str
        The columns, as SQL spells them.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> people = pa.table({"zip": ["98101", "98102"] * 20, "remark": [f"she is number {n}" for n in range(40)]})
    >>> try:
    ...     kanon_sql.anonymize(people, k=5, quasi_identifiers=["zip"])
    ... except UnlistedColumnError as error:
    ...     print(error.columns)
    ('remark',)
    """

    columns: tuple[str, ...] = ()


class KanonWarning(UserWarning):
    """What a release reveals next to its guarantee; one for each release.

    Attributes
    ----------
    warnings : tuple of str
        Those of its certificate.

    Examples
    --------
    >>> print(KanonWarning("name is released unchanged", "age is released unchanged"))
    name is released unchanged; age is released unchanged
    """

    def __init__(self, *warnings: str) -> None:
        super().__init__("; ".join(warnings))
        self.warnings = warnings


class ClauseError(KanonError, ValueError):
    """An ANONYMIZE clause that cannot be read; carries where it went wrong.

    Attributes
    ----------
    line, column : int
        Position in the statement, both from 1.
    text : str
        The offending text of the statement.
    """

    def __init__(self, message: str, *, line: int, column: int, text: str) -> None:
        self._message = message
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        super().__init__(f"{message} (line {line}, column {column}, at {shown!r})")
        self.line = line
        self.column = column
        self.text = text

    def in_script(self, line: int, column: int) -> ClauseError:
        """Return the error with its place in a script, given where the statement begins."""
        moved = self.column + column - 1 if self.line == 1 else self.column
        return ClauseError(self._message, line=self.line + line - 1, column=moved, text=self.text)


class InfeasibleError(KanonError, ValueError):
    """No release of this table can keep the guarantee; the message gives the counts that say why."""


class SourceError(KanonError, ValueError):
    """The source cannot be read exactly: not a table, a value type without an exact code, a moving target."""


class AuditError(KanonError, RuntimeError):
    """The audit found a class that breaks a requirement; nothing was released."""


class CertificateError(AuditError):
    """A certificate claims what does not hold.

    Attributes
    ----------
    field : str or None
        The claim; None for a text that is no certificate at all.
    fact : str
        What is wrong with it.
    line : int or None
        Where it stands in the file, from 1.
    """

    def __init__(self, field: str | None, fact: str, line: int | None = None) -> None:
        place = "" if line is None else f"line {line}: "
        super().__init__(place + (fact if field is None else f'"{field}": {fact}'))
        self.field = field
        self.fact = fact
        self.line = line


class InternalError(KanonError, RuntimeError):
    """Something failed inside the program that should not have; the message names the place, never what was being read."""

    @classmethod
    def of(cls, error: BaseException) -> InternalError:
        """Name the kind of a failure and the innermost place of the program that it went through."""
        place, trace = "", error.__traceback__
        while trace is not None:
            module = trace.tb_frame.f_globals.get("__name__", "")
            if module.partition(".")[0] == "kanon_sql":
                place = f" at {module}:{trace.tb_lineno}"
            trace = trace.tb_next
        return cls(f"internal error: {type(error).__name__}{place}; nothing was released; hint: report this message as a bug")


class InterruptedReleaseError(KanonError, RuntimeError):
    """The release was interrupted while its solver was at work."""


class UnknownAlgorithmError(PolicyError):
    """A policy names an algorithm that there is not, or not for this purpose."""

    @classmethod
    def of(cls, name: str, known: Iterable[str], purpose: str = "") -> UnknownAlgorithmError:
        """Name the algorithm, what it was asked for, and those that there are."""
        names = list(known)
        hint = hint_of(name, names, f"the algorithms{purpose} are {', '.join(names)}", always=True)
        return cls(f"there is no algorithm {name!r}{purpose}; hint: {hint}")
