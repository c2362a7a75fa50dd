"""The walk of a careless user: ask, take the first way out that the error offers, ask again, and never read on."""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from benchmarks.careless.advice import ON_PURPOSE, ways_out
from benchmarks.careless.judge import FAILURES, Finding, Release, judge
from benchmarks.careless.request import Request, first_request
from benchmarks.careless.table import IDENTIFYING, Table
from kanon_sql.errors import KanonWarning

MOST_STEPS = 6
"""Ways out that the user takes before giving up."""


PERSON = "person"
"""The column that the user makes of a key of two columns."""


IMPOSSIBLE = "holds in no release|all rows wait|rows are left over"
"""How errors say that no release keeps the guarantee."""


class RefusedError(Exception):
    """A surface refused a release.

    Parameters
    ----------
    text : str
        The error that the user reads.
    kind : str
        Its class, if the surface shows one.
    columns : tuple of str
        The columns that it carries.
    """

    def __init__(self, text: str, kind: str = "", columns: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.text, self.kind, self.columns = text, kind, columns


class Surface(Protocol):
    """Where a release is asked for: one adapter each."""

    def prepare(self, table: Table, random: np.random.Generator, request: Request) -> Request:
        """Return the first request of this surface."""

    def release(self, table: Table, request: Request) -> Release:
        """Release a table, or raise `RefusedError`."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What came of one walk.

    Attributes
    ----------
    released : bool
        Whether rows came out.
    findings : tuple of Finding
        What they give away.
    steps : tuple of str
        The errors, and what the user did about each.
    refusal : str
        The last error, if nothing came out.
    asked_people : bool
        Whether an error said that a column repeats people.
    bad_hint : bool
        Whether an error named an option that the surface does not have; the user then takes the columns out by hand.
    rightly : bool
        Whether a refusal is due: all that was to be in BY identifies people or singles them out, or no release keeps the
        guarantee.
    broken : str
        An error that is no refusal.
    request : Request, optional
        What was asked last.
    """

    released: bool
    findings: tuple[Finding, ...] = ()
    steps: tuple[str, ...] = ()
    refusal: str = ""
    asked_people: bool = False
    bad_hint: bool = False
    rightly: bool = False
    broken: str = ""
    request: Request | None = None

    @property
    def failed(self) -> bool:
        """Whether a released row can be tied to a person, or something broke."""
        return bool(self.broken) or any(each.rule in FAILURES for each in self.findings)


def walk(surface: Surface, table: Table, seed: str) -> Walk:
    """Ask a surface for a release of a table as a careless user does.

    Parameters
    ----------
    surface : Surface
        Where.
    table : Table
        The table.
    seed : str
        Of the user's choices.
    """
    random = np.random.default_rng(zlib.crc32(f"{seed} user".encode()))
    request = surface.prepare(table, random, first_request(table, random))
    names = [each.name for each in table.columns]
    due = {each for each in request.by if table.meaning(each) in (*IDENTIFYING, "part")}
    named = set(request.by)
    steps: list[str] = []
    people = bad_hint = False

    def ended(released: bool, **more: Any) -> Walk:
        return Walk(released, steps=tuple(steps), asked_people=people, bad_hint=bad_hint, request=request, **more)

    for _ in range(MOST_STEPS + 1):
        try:
            release = _warned(lambda: surface.release(table, request))  # noqa: B023 - called at once
        except RefusedError as refused:
            people |= refused.kind == "RepeatedPeopleError" or bool(re.search("repeats? people", refused.text))
            ways = ways_out(refused.text, names, refused.columns, (*request.cut, *request.dropped))
            taken = next((each for each in ways if each.way not in ON_PURPOSE and each.columns), None)
            steps.append(f"{refused.kind or 'error'}: {refused.text} => {taken}")
            if taken is None or (following := request.after(taken, PERSON)) == request:
                return ended(False, refusal=refused.text, rightly=bool(re.search(IMPOSSIBLE, refused.text)))
            if taken.way in ("join", "one row"):  # the user changes the table
                spellings = "strip_accents" in refused.text
                joined = taken.way == "join"
                table = table.joined(taken.columns, PERSON, spellings=spellings) if joined else table.first_rows(taken.columns)
                surface.prepare(table, random, request)
            request = following
            due |= {*taken.columns} if "singles out" in refused.text else set()
            if not request.by:
                return ended(False, refusal=refused.text, rightly=named <= due)
        except Exception as error:  # anything else is a fault
            told = f"{type(error).__name__}: {error}"
            if not request.dropped:
                return ended(False, broken=told)
            steps.append(f"the hint does not work: {told}")
            request, bad_hint = replace(request, cut=(*request.cut, *request.dropped), dropped=()), True
        else:
            return ended(True, findings=tuple(judge(table, release, request.k)))
    return ended(False, refusal="too many steps")


def _warned(release: Callable[[], Release]) -> Release:
    """Return a release with the warnings that came with it."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        made = release()
    told = "; ".join(dict.fromkeys(str(each.message) for each in found if issubclass(each.category, KanonWarning)))
    return replace(made, told="; ".join(filter(None, (made.told, told))))
