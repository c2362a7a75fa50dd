"""What personal columns are about: a zip code and a city are one fact about a person, and so are an age and a birth date."""

from __future__ import annotations

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


def topic_of(found: Recognized | None, name: str) -> str:
    """Return the topic of a column. An unrecognized column is a topic of its own."""
    return name if found is None else _TOPICS.get(found.kind, found.kind)


def is_shared_by_many(found: Recognized | None) -> bool:
    """Return whether a column cannot tell people apart: a date of an event, or a personal column but a date of birth."""
    return found is not None and (found.kind == "date" or (found.personal and found.kind != "date of birth"))
