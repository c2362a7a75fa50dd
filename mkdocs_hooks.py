"""What the site needs beside its settings in mkdocs.yml."""

from __future__ import annotations

import posixpath
import re
from typing import Any

_LINK = re.compile(r"\[([^][]+)\]\(([^()\s:#]+)(?:#[^()\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Show links to files beside docs/ as text: they lead somewhere where the project is read, and nowhere on the site."""
    folder = posixpath.dirname(page.file.src_uri)

    def shown(link: re.Match[str]) -> str:
        leaves = posixpath.normpath(posixpath.join(folder, link[2])).startswith("..")
        return link[1] if leaves else link[0]

    return _LINK.sub(shown, markdown)
