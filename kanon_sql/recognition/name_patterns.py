"""The rules of `names.toml` as regular expressions, which Python and RE2 read alike. It imports nothing of the package.

`build_sql.py` runs this file in a checkout to write the same patterns into the macros.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

_FILE = Path(__file__).with_name("names.toml")

_TWO_SPELLINGS = {"ä": "(a|ae)", "ö": "(o|oe)", "ü": "(u|ue)", "ß": "ss", "ł": "l", "ø": "o", "œ": "oe", "æ": "ae"}


_APART = re.compile(r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[^|()])+")
"""A word of a list, or a choice in parentheses within it."""


_CHOICE = re.compile(r"\([^()]*\)[?*+]?|\[[^\]]*\][?*+]?")
_OPTIONAL = re.compile(r".(?:[?*]|\{[^}]*\})|\\.")
_PLAIN = re.compile("[a-z0-9_]+")

_GROUP = re.compile(r"\((?P<choices>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)(?P<optional>[?*]?)")
"""A choice in parentheses, which may hold others."""

_ACCENTS = re.compile("[\u0300-\u036f]")
"""Accents, apart from their letters."""

_SHORTEST = 3
"""Letters of a text that few names contain."""


@dataclass(frozen=True)
class NameRule:
    """Names that say one thing."""

    kind: str  # as in `names.toml`
    role: Literal["identifier", "quasi-identifier", "sensitive", ""]  # as in `names.toml`
    pattern: str  # what `called` returns for such a name
    paragraph: str = ""  # as in `names.toml`; empty if the rule of HIPAA does not ask for it
    exceptions: str = ""  # what `called` returns for a name that only seems to be one; empty if there is none
    personal: bool = False  # whether a person tends to have one value of it
    textual: bool = False  # whether only texts of such a name are meant
    numeric: bool = False  # whether only numbers of such a name are meant
    # A name that contains none of them fits the pattern only if it fits ``rest``. To look for them is faster than to compile a
    # long pattern.
    parts: tuple[str, ...] = ()
    rest: str = ""  # the part of the pattern for names that contain none; empty if there are no such names
    rest_parts: tuple[str, ...] = ()  # the same for ``rest``: a name that contains none of them does not fit it


@cache
def name_rules() -> tuple[NameRule, ...]:
    """Return the rules in their order."""
    parts = {name: _pattern([text]) for name, text in _read()["parts"].items()}
    return tuple(_rule(each, parts) for each in _read()["rules"])


@cache
def not_identifying() -> str:
    """Return the pattern of names that say something about an identifier, but are none."""
    read = _read()["not_identifying"]
    return f"{_anywhere(_pattern(read['words']))}|(.*_)?({_pattern(read['endings'])})[0-9]*"


@cache
def not_ages() -> str:
    """Return the pattern of names of numbers that only look like ages."""
    return _anywhere(_pattern(_read()["not_ages"]["words"]))


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def _rule(given: dict[str, Any], parts: dict[str, str]) -> NameRule:
    pattern = _anywhere(_pattern(_gathered(given["words"]), parts))
    if "whole" in given:
        pattern += f"|{_pattern(given['whole'], parts)}"
    exceptions = _anywhere(_pattern(given["except"])) if "except" in given else ""
    facts = {name: value for name, value in given.items() if name not in ("words", "whole", "except")}
    anywhere, alone = (_words(_pattern(given.get(name, ()), parts)) for name in ("words", "whole"))
    others = _without_part(anywhere)
    rest = [_anywhere("|".join(others))] * bool(others) + _without_part(alone)
    found = sorted({_part(word) for word in anywhere + alone} - {""})
    of_rest = {part for word in others + _without_part(alone) for part in _choices(word)}
    return NameRule(
        pattern=pattern,
        exceptions=exceptions,
        parts=tuple(found),
        rest="|".join(rest),
        rest_parts=("",) if "" in of_rest else tuple(sorted(of_rest)),
        **facts,
    )


def _without_part(words: list[str]) -> list[str]:
    return [word for word in words if not _part(word)]


@cache
def _choices(word: str) -> tuple[str, ...]:
    """Return texts of which each name that fits a word contains one; the empty text if there are none."""
    groups = [each["choices"] for each in _GROUP.finditer(word) if not each["optional"]]
    parts = [{part for each in _words(choices) for part in _choices(each)} for choices in groups]
    found = [(_longest(word),), *map(tuple, parts)]
    return max(found, key=lambda parts: (len(min(parts, key=len)), -len(parts)))


def _words(words: str) -> list[str]:
    """Return the words of a list; a choice in parentheses is part of one."""
    if "(" not in words:
        return words.split("|") if words else []
    found, depth = list[str](), 0
    for piece in words.split("|"):
        if depth:
            found[-1] += f"|{piece}"
        else:
            found.append(piece)
        depth += piece.count("(") - piece.count(")")
    return found


@cache
def _part(word: str) -> str:
    """Return a text that all names contain that fit a word; empty if there is none, or a short one that many names contain."""
    part = _longest(word)
    return part if len(part) >= _SHORTEST else ""


@cache
def _longest(word: str) -> str:
    """Return the longest text that all names contain that fit a word."""
    while "(" in word and (flat := _CHOICE.sub("#", word)) != word:
        word = flat
    return word if word.isalpha() else max(_PLAIN.findall(_OPTIONAL.sub("#", word)), key=len, default="")


def _gathered(words: list[str]) -> list[str]:
    """Return the same words, with one ``{number}`` behind all that have it: each is long, and takes time to compile."""
    behind, found = " {number}", list[str]()
    before = list[str]()
    for word in _APART.findall("|".join(words)):
        if word.endswith(behind):
            before.append(word.removesuffix(behind))
        else:
            found.append(word)
    return [*found, f"({'|'.join(before)}){behind}"] if before else found


def _anywhere(words: str) -> str:
    return f"(.*_)?({words})[0-9]*(_.*)?"


def _pattern(words: list[str], parts: dict[str, str] | None = None) -> str:
    """Return words as a regular expression: spaces, umlauts and accents as `names.toml` says."""
    text = "|".join(words)
    for letter, spelled in _TWO_SPELLINGS.items():
        text = text.replace(letter, spelled)
    text = _ACCENTS.sub("", normalize("NFD", text)).replace(" ?", "_?").replace(" ", "_?")
    for name, pattern in (parts or {}).items():
        text = text.replace(f"{{{name}}}", f"({pattern})")
    return text
