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
from unicodedata import category, normalize

_FILE = Path(__file__).with_name("names.toml")

_TWO_SPELLINGS = {"ä": "(a|ae)", "ö": "(o|oe)", "ü": "(u|ue)", "ß": "ss", "ł": "l", "ø": "o", "œ": "oe", "æ": "ae"}


_APART = re.compile(r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[^|()])+")
"""A word of a list, or a choice in parentheses within it."""


_CHOICE = re.compile(r"\([^()]*\)[?*+]?|\[[^\]]*\][?*+]?")
_OPTIONAL = re.compile(r".(?:[?*]|\{[^}]*\})|\\.")
_PLAIN = re.compile("[a-z0-9_]+")

_SHORTEST = 3
"""Letters of a text that few names contain."""


@dataclass(frozen=True)
class NameRule:
    """Names that say one thing.

    Attributes
    ----------
    kind, role, paragraph
        As in `names.toml`; the paragraph is empty if the rule of HIPAA does not ask for it.
    pattern : str
        What `called` returns for such a name.
    exceptions : str
        What `called` returns for a name that only seems to be one; empty if there is none.
    personal : bool
        Whether a person tends to have one value of it.
    textual, numeric : bool
        Whether only texts, or only numbers, of such a name are meant.
    parts : tuple of str
        A name that contains none of them fits the pattern only if it fits ``rest``. To look for them is faster than to compile
        a long pattern.
    rest : str
        The part of the pattern for names that contain none; empty if there are no such names.
    """

    kind: str
    role: Literal["identifier", "quasi-identifier", "sensitive", ""]
    pattern: str
    paragraph: str = ""
    exceptions: str = ""
    personal: bool = False
    textual: bool = False
    numeric: bool = False
    parts: tuple[str, ...] = ()
    rest: str = ""


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
    rest = [_anywhere("|".join(words)) for words in [_without_part(anywhere)] if words] + _without_part(alone)
    found = sorted({_part(word) for word in anywhere + alone} - {""})
    return NameRule(pattern=pattern, exceptions=exceptions, parts=tuple(found), rest="|".join(rest), **facts)


def _without_part(words: list[str]) -> list[str]:
    return [word for word in words if not _part(word)]


def _words(words: str) -> list[str]:
    """Return the words of a list; a choice in parentheses is part of one."""
    found, depth = list[str](), 0
    for piece in words.split("|") if words else ():
        found[-1:] = [f"{found[-1]}|{piece}"] if depth else [*found[-1:], piece]
        depth += piece.count("(") - piece.count(")")
    return found


@cache
def _part(word: str) -> str:
    """Return a text that all names contain that fit a word; empty if there is none, or a short one that many names contain."""
    while "(" in word and (flat := _CHOICE.sub("#", word)) != word:
        word = flat
    part = max(_PLAIN.findall(_OPTIONAL.sub("#", word)), key=len, default="")
    return part if len(part) >= _SHORTEST else ""


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
    text = (
        "".join(letter for letter in normalize("NFD", text) if category(letter) != "Mn").replace(" ?", "_?").replace(" ", "_?")
    )
    for name, pattern in (parts or {}).items():
        text = text.replace(f"{{{name}}}", f"({pattern})")
    return text
