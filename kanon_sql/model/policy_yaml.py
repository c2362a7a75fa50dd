"""YAML in which everything means the same to every reader: no aliases, no tags, plain decimal numbers."""

from __future__ import annotations

import re
from typing import Any

import yaml  # type: ignore[import-untyped]
from yaml.composer import ComposerError  # type: ignore[import-untyped]

LONGEST = 500_000
"""The most characters of a file. PyYAML reads about 80,000 in a second."""

_DEEPEST = 20
"""The most levels of lists and mappings; a policy needs nine."""

_DIGITS = 40
"""The most characters of a number."""

_LIKE_A_NUMBER = re.compile(r"[-+]?\.?\d[\d_.:]*")
"""What YAML 1.1 or a person reads as a number: 010 is 8 in YAML 1.1, 1:30 is 90, 1_000 is 1000."""

_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*|(?:0|[1-9][0-9]*)?\.[0-9]+|(?:0|[1-9][0-9]*)\.)(?:[eE][-+]?[0-9]+)?")
"""A decimal number that has one meaning."""

_WORDS = {"bool": {"true", "false"}, "null": {"", "~", "null"}}
"""What YAML 1.1 and YAML 1.2 both take for a boolean or for nothing, in small letters."""


def load(text: str) -> tuple[yaml.Node | None, Any]:
    """Return the nodes and the data of a YAML text.

    Raises
    ------
    yaml.YAMLError
        When it is not YAML, or holds what two readers of YAML may read in two ways.
    """
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        return root, None if root is None else loader.construct_document(root)
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):  # type: ignore[misc] # PyYAML has no types
    """Refuses what is ambiguous or grows when it is read."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node:
        """Compose a node, after its event was checked."""
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent):
            raise _refusal(event, "YAML aliases are not supported; hint: repeat the value")
        if event.tag is not None:
            raise _refusal(event, "YAML tags are not supported; hint: remove the tag, and put text in quotes")
        if self._depth >= _DEEPEST:
            raise _refusal(event, f"nested more than {_DEEPEST} levels deep; hint: use fewer levels")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        if isinstance(event, yaml.ScalarEvent) and event.style is None:
            _check_plain(event, str(node.tag).rpartition(":")[2])
        return node


def _check_plain(event: yaml.ScalarEvent, kind: str) -> None:
    """Refuse a scalar without quotes that readers of YAML may read in two ways.

    Parameters
    ----------
    kind : str
        What YAML 1.1 takes it for.
    """
    text = event.value
    if kind in ("int", "float") or _LIKE_A_NUMBER.fullmatch(text):
        if len(text) > _DIGITS:
            raise _refusal(event, f"a number has {len(text):,} characters (maximum {_DIGITS}); hint: round it")
        if not _NUMBER.fullmatch(text):
            raise _refusal(event, f"{text!r} is not a plain decimal number; hint: write 10 or 0.5, and put text in quotes")
    elif kind in _WORDS:
        if text.lower() not in _WORDS[kind]:
            ambiguous = f"{text!r} is true, false or null in some YAML parsers"
            raise _refusal(event, f"{ambiguous}; hint: put text in quotes, or write true or false")
    elif kind == "timestamp":
        raise _refusal(event, f"{text!r} is a date in some YAML parsers; hint: put it in quotes")
    elif kind != "str":
        raise _refusal(event, f"{text!r} has a special meaning in YAML; hint: put it in quotes")


def _refusal(event: yaml.Event, problem: str) -> ComposerError:
    return ComposerError(None, None, problem, event.start_mark)
