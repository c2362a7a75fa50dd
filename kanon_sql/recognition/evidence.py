"""How much evidence is enough that a column repeats people, and what personal columns are about.

A zip code and a city are one fact about a person, and so are an age and a birth date.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kanon_sql.recognition.recognized import Recognized

_BIRTH, _PLACE = "birth", "place"

BORN_WITH = frozenset([_BIRTH, "sex"])
"""Topics that do not change during a person's life."""

NOT_OF_A_HOME = BORN_WITH | {"job"}
"""Topics on which the members of a household differ; they share places, income, nationality and religion."""

_TOPICS = {
    **dict.fromkeys(["date of birth", "year of birth", "age"], _BIRTH),
    **dict.fromkeys(["postal code", "place smaller than a state", "region", "coordinate", "street address"], _PLACE),
}


@dataclass(frozen=True, slots=True)
class Enough:
    """Evidence that is enough."""

    values: int  # least number of values of a column for a conclusion
    pairs: int  # least number of pairs of rows that share a value for a conclusion
    agree: float  # a shared column agrees in at least this share of these pairs
    moved: float  # the same for a column on which hardly any random pairs agree, such as the zip code of people who move
    columns: int  # so many shared columns are enough, even if others differ
    everything: int  # so many are enough if no others differ
    bits: float  # Least weight of the shared columns together. With 6, one of 64 random pairs agrees on all of them.
    # whether rows with the same value have to agree on everything that describes a person, or on age and sex
    alike: bool = False
    own: bool = False  # whether a shared column has to be one in which members of a household differ
    rows: float = 0.0  # least number of rows of a value, on average

    def share(self, at_random: float) -> float:
        """Return the share of pairs in which a shared column agrees, by the share of random pairs that agree on it."""
        return min(self.agree, max(self.moved, 0.5 + 0.6 * at_random))


ANY = Enough(values=10, pairs=30, agree=0.9, moved=0.9, columns=3, everything=2, bits=6.0)

IDENTIFYING = Enough(values=3, pairs=10, agree=0.8, moved=0.6, columns=2, everything=1, bits=0.0)
"""For a column that looks like an identifier of people: only that it repeats needs proof."""

BORN = replace(IDENTIFYING, columns=3, everything=2)
"""For a date of birth: that of several people determines their age, whatever that is called."""

HOME = Enough(values=10, pairs=30, agree=0.8, moved=0.6, columns=2, everything=2, bits=4.0, alike=True, own=True)
"""For the address of a household: its members differ in age, sex or job, and the rows of a person do not."""

CROWDED_HOME = replace(HOME, agree=0.9, moved=0.9, everything=1, bits=1.0, own=False, rows=8.0)
"""For an address with more rows than a household has members."""

NAMED_HOME = replace(HOME, everything=1, bits=0.0)
"""For a name and an address together. With a family name, it is that of a household."""

NAMES = replace(HOME, values=5, own=False)
"""For two names together, such as a first name and a surname: namesakes differ."""

TOGETHER = replace(ANY, everything=3)
"""For two columns, neither of which looks like an identifier: many pairs are tried, and some are those of a family."""


def topic_of(found: Recognized | None, name: str) -> str:
    """Return the topic of a column. An unrecognized column is a topic of its own."""
    return name if found is None else _TOPICS.get(found.kind, found.kind)


def is_shared_by_many(found: Recognized | None) -> bool:
    """Return whether a column cannot tell people apart: a date of an event, or a personal column but a date of birth."""
    return found is not None and (found.kind == "date" or (found.personal and found.kind != "date of birth"))
