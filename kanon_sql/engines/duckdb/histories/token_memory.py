"""The tokens that a session remembers: those of releases that no database remembers, and those that wait to be judged."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


class TokenMemory:
    """The tokens of a session.

    Attributes
    ----------
    comparing : Lock
        Held while tokens are compared and remembered: of two releases at once, one is compared with the other.
    remembered : list of pyarrow.Table
        The tokens of releases that no database remembers, oldest first; see `TokenRecord`.
    """

    def __init__(self) -> None:
        self.comparing = threading.Lock()
        self.remembered: list[pa.Table] = []
        self._aside: dict[int, pa.Table] = {}

    def set_aside(self, release: int, tokens: pa.Table) -> None:
        """Keep the tokens of a release until they are judged."""
        self._aside[release] = tokens

    def taken_back(self, release: int) -> pa.Table | None:
        """Return the tokens that were set aside of a release, if any, and let go of them."""
        return self._aside.pop(release, None)
