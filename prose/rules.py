"""The rules that a sentence keeps: no pattern of `RULES`, and a limit of words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_WORDS = 35
"""Words of a sentence of a page."""

MOST_WORDS_OF_SOURCES = 25
"""Words of a sentence of help, an error, a report or a docstring."""


class Rule(NamedTuple):
    """A pattern that plain English avoids, and what to write."""

    name: str
    pattern: re.Pattern[str]
    advice: str


class Finding(NamedTuple):
    """A rule that a sentence breaks, and the words that break it."""

    rule: str
    words: str
    advice: str


def _rule(name: str, pattern: str, advice: str) -> Rule:
    return Rule(name, re.compile(pattern), advice)


_START = r"(?:^|(?<=[.!?:;] ))"
"""Where a sentence begins, or a part of it."""

RULES = (
    _rule("tells", r"\b(?:[Tt]ells?|told)\b(?! (?:\S+ ){0,4}apart)", "shows, reports, reveals, means"),
    _rule("stands", r"\b(?:[Ss]tands?|stood)\b(?! for\b)", "is, goes"),
    _rule("lies", r"\b(?:lies|lying)\b", "is"),
    _rule("beside", r"\b[Bb]esides?\b", "next to, except, also"),
    _rule("behind", r"\b[Bb]ehind\b", "after"),
    _rule("in front of", r"\b[Ii]n front of\b", "before"),
    _rule("in place of", r"\bin (?:the )?place of\b", "instead of"),
    _rule("of which", r"\b(?:of|in|by) (?:which|whom)\b", "two sentences"),
    _rule("whoever", r"\b[Ww]hoever\b", "anyone who, an attacker who"),
    _rule("bare who", _START + r"Who\b(?![^.]*\?)", "anyone who, an attacker who, if you"),
    _rule("who knows that", r"\b(?:[Ss]omebody|[Nn]obody) (?:who|else)\b", "an attacker who, no one"),
    _rule("is no", r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|larger\b|need\b)", "is not a"),
    _rule("has not", r"\bha(?:s|ve) not (?!been\b|yet\b|to\b)(?:the|a|any|its|each|every|one|that)\b", "does not have"),
    _rule("late at most", r"\bat (?:most|least)(?=[.,;:)]|$)", "at most 5 rows"),
    _rule("anew", r"\banew\b", "again"),
    _rule("dear", r"\bdear(?:er|est)?\b", "expensive, costly"),
    _rule("but for", r"\bbut for\b", "except"),
    _rule("empty words", r"\b(?:as (?:it|they) (?:is|are)|all the same|altogether|in itself)\b", "leave it out, or: unchanged"),
    _rule("what is", r"\b[Ww]hat (?:is|are|was|were) (?!wrong\b)(?:\w+ed|left|written|hidden|shown|there|kept)\b", "a noun"),
    _rule("of those that", r"\b(?:of|by|in) those (?:that|who)\b", "a noun"),
    _rule("one term: suppressed", r"\b(?:hides?|hidden|hiding)\b", "suppressed"),
    _rule("one term: generalized", r"\b(?:[Cc]oarsen\w*|[Cc]oarser|[Cc]oarsest)\b", "generalized, more general"),
    _rule("one term: class", r"\blooks? alike\b|\blook the same\b", "equivalence class, class"),
    _rule("one term: guarantee", r"\bpromis\w+\b", "guarantee"),
    _rule("one term: attacker", r"\ba neighbour\b|\bsomebody who\b", "attacker"),
    _rule("one term: distinct combination", r"\bkinds\b", "distinct combinations, types"),
    _rule("1 rows", r"(?<![-+*/] )\b1 (?:rows|cells|classes|columns|people|values)\b", "the singular"),
)

_SENTENCE = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(`A-Z0-9])|;\s+hint:\s+|\n\s*\n|\n {2,}(?=\S)")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; the hint of an error is one of its own."""
    for each in _SENTENCE.split(text):
        if each.strip():
            yield " ".join(each.split())


def findings(sentence: str, *, most: int = MOST_WORDS) -> Iterator[Finding]:
    """Yield the rules that a sentence breaks; *most* is the limit of its words."""
    for name, pattern, advice in RULES:
        for match in pattern.finditer(sentence):
            yield Finding(name, match.group().strip(), advice)
    words = re.findall(r"[^\W_][\w'./:=-]*", sentence)
    if not any(word.islower() for word in words):
        return  # a list of keywords
    if len(words) > most:
        yield Finding("long", f"{len(words)} words", f"at most {most} words in a sentence")
