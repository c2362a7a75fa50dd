"""Write into pages what their blocks show: ``python tests/docs/refresh.py README.md docs/reference/python.md``."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from running import run_page


def refreshed(page: Path) -> str:
    """Return a page in which each block of output is that of the block above it; new ones stand as empty ``text`` blocks."""
    lines = page.read_text(encoding="utf-8").split("\n")
    shown = [(block, seen) for block, seen in run_page(page) if block.shown is not None]
    for block, seen in reversed(shown):  # from below, so that the lines above stay where they are
        fence = block.line + block.text.count("\n") + 2
        end = lines.index("```", fence + 1)
        lines[fence + 1 : end] = seen.split("\n")
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ.setdefault("KANON_SECRET", "of the tests")
    for path in [Path(name).resolve() for name in sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            text = refreshed(path)
            os.chdir(path.parent)
        path.write_text(text, encoding="utf-8")
