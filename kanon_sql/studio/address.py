"""The address of the studio: a port of this machine and a token, known before the pages are ready."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread


@dataclass(frozen=True, slots=True)
class Address:
    """Where the studio is."""

    listening: socket.socket  # the socket; a browser that comes before the pages are ready waits
    port: int
    token: str  # the secret of this process

    @property
    def url(self) -> str:
        """Return the address that the user opens."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"


@contextmanager
def listen(port: int) -> Iterator[Address]:
    """Listen on a port of this machine; 0 takes a free one.

    Raises
    ------
    OSError
        When the port is taken.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()
        yield Address(listening, listening.getsockname()[1], secrets.token_urlsafe(32))


def announce(address: Address, *, browser: bool, say: Callable[[str], None]) -> None:
    """Say the address, and open the browser if it is wanted: it starts while the pages are made ready."""
    say(address.url)
    if browser:
        Thread(target=webbrowser.open, args=[address.url], daemon=True).start()
