"""The encoding of a text file: its beginning decides, or all its lines if that is not UTF-8."""

from __future__ import annotations

import codecs
import gzip
from typing import IO

from kanon_sql.errors import SourceError

SAMPLE = 1 << 20
"""Number of bytes to look at first."""

_BEGINNINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The first bytes of files and their encodings; UTF-32 comes first, because it begins like UTF-16."""

_UNDEFINED = frozenset(b"\x81\x8d\x8f\x90\x9d")
"""Bytes that mean nothing in Windows-1252."""


def opened(path: str) -> IO[bytes]:
    """Open a file for reading its bytes, decompressed if its name ends in ``.gz``."""
    return gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb")  # type: ignore[return-value]


def encoding_of(sample: bytes, path: str) -> str:
    """Return the encoding of a file, given its beginning; unless that looks like UTF-8, all lines are looked at.

    Raises
    ------
    SourceError
        When it is no text.
    """
    for begins, encoding in _BEGINNINGS:
        if sample.startswith(begins):
            return encoding
    if b"\0" in sample:
        odd, even = sample[1::2].count(0), sample[::2].count(0)
        if min(odd, even) * 20 < max(odd, even) and max(odd, even) * 4 > len(sample):
            return "utf-16-le" if odd > even else "utf-16-be"
        line = sample[: sample.index(b"\0")].count(b"\n") + 1
        raise SourceError(
            f"{path} is not a text file: line {line} contains a zero byte; hint: export it again, as CSV in UTF-8"
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # which may end within a letter
        return "utf-8"
    except UnicodeDecodeError:
        return eight_bits(path)


def eight_bits(path: str) -> str:
    """Return the encoding of all lines: UTF-8 if it can be, else Latin-1, or Windows-1252 if they have letters of that alone.

    Raises
    ------
    SourceError
        When some lines are UTF-8 and others are not, or they are neither.
    """
    utf8 = other = unknown = 0
    windows = False
    with opened(path) as lines:
        for number, line in enumerate(lines, 1):
            if line.isascii():
                continue
            try:
                line.decode("utf-8")
                utf8 = utf8 or number
            except UnicodeDecodeError:
                other = other or number
                windows |= any(0x80 <= byte < 0xA0 for byte in line)
                unknown = unknown or number * any(byte in _UNDEFINED for byte in line)
    if utf8 and other:
        raise SourceError(
            f"{path} mixes encodings: line {utf8} is UTF-8, but line {other} is not; hint: export it again, or pass one "
            "encoding for the whole file, such as --encoding cp1252"
        )
    if unknown:
        raise SourceError(
            f"{path} is not in UTF-8 or Windows-1252: line {unknown} contains invalid bytes; hint: pass its encoding, such as "
            "--encoding cp1250, or export it in UTF-8"
        )
    return "cp1252" if windows else "latin-1" if other else "utf-8"


def own_encoding(path: str) -> str:
    """Return the encoding of a whole file.

    Raises
    ------
    SourceError
        When it is not a text, or has two encodings.
    """
    with opened(path) as file:
        found = encoding_of(file.read(SAMPLE), path)
    return eight_bits(path) if found == "utf-8" else found
