"""``python -m prose [PATH ...]`` names the lines of pages and sources that break a rule, and what to write instead."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from prose.check import broken


def main() -> int:
    """Check the files that are named, else all; return 1 if one of them breaks a rule."""
    parser = argparse.ArgumentParser(prog="python -m prose", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="A page or a source.  [default: all]")
    options = parser.parse_args()
    found = broken([path.resolve() for path in options.paths])
    for line in found:
        sys.stdout.write(f"{line}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
