"""Names of columns as people write them: with spaces, hyphens, accents, in camel case, or saying nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import numpy as np

from benchmarks.careless.words import COLUMNS, LANGUAGES, NOTHING


def _snake(words: list[str]) -> str:
    return "_".join(words).lower()


def _camel(words: list[str]) -> str:
    return words[0].lower() + "".join(word.capitalize() for word in words[1:])


def _plain(words: list[str]) -> str:
    """Return the words without accents."""
    told = unicodedata.normalize("NFKD", "_".join(words).lower().replace("ł", "l").replace("ß", "ss"))
    return "".join(letter for letter in told if not unicodedata.combining(letter))


SPELLINGS: dict[str, Callable[[list[str]], str]] = {
    "snake": _snake,
    "plain": _plain,
    "camel": _camel,
    "pascal": lambda words: "".join(word.capitalize() for word in words),
    "spaces": " ".join,
    "title": lambda words: " ".join(word.capitalize() for word in words),
    "hyphens": lambda words: "-".join(words).lower(),
    "upper": lambda words: _snake(words).upper(),
    "dots": lambda words: ".".join(words).lower(),
}


class Namer:
    """Names the columns of one table, each once.

    Parameters
    ----------
    random : numpy.random.Generator
        Chooses the spelling, which is one for the table, and the synonyms.
    language : int
        Its number in `LANGUAGES`.
    """

    def __init__(self, random: np.random.Generator, language: int) -> None:
        self._random, self._language = random, language
        self.spelling = str(random.choice(list(SPELLINGS)))
        self._silent = 0.5 if random.random() < 0.06 else 0.03
        self._used: set[str] = set()

    def name(self, meaning: str) -> str:
        """Return a name for a column; now and then one that says nothing."""
        random = self._random
        if random.random() < self._silent:
            told = str(random.choice(NOTHING))
        else:
            synonyms = COLUMNS[meaning].split("; ")[self._language].split("|")
            words = [word for word in re.split(r"[ \-]+", str(random.choice(synonyms))) if word]
            told = SPELLINGS[self.spelling](words)
        return self._alone(told)

    def _alone(self, told: str) -> str:
        """Return the name, with a number behind it if the table has it already."""
        number, found = 2, told
        while found.casefold() in self._used:
            number, found = number + 1, f"{told}{number}"
        self._used.add(found.casefold())
        return found


def language_name(language: int) -> str:
    """Return the short name of a language."""
    return LANGUAGES[language]
