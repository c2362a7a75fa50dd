"""Columns of texts, made by a fixed seed, and what they are; checksums are those of python-stdnum."""

from __future__ import annotations

import hashlib
import random
import string
from collections.abc import Callable
from uuid import UUID

from stdnum import iban, imei, luhn
from stdnum.br import cpf
from stdnum.es import dni
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.pl import pesel

_ROWS = 60

_FIRST = ("Anna", "José", "Jürgen", "Giulia", "Małgorzata", "Xaver", "Sanne", "João", "Mary", "Quinten")
_LAST = ("O'Neill", "Müller", "Smith", "Peña", "Kowalski", "de Vries", "Rossi", "Dubois-Martin", "da Silva")
_CITIES = ("San Francisco", "New York", "St. Louis", "Los Angeles", "Fort Wayne", "Salt Lake City", "Suffolk County")
_ICD = (
    "Type 2 diabetes mellitus without complications",
    "Essential (primary) hypertension of the heart",
    "Acute upper respiratory infection, unspecified",
)


def columns(seed: int = 7) -> dict[tuple[str | None, str], list[str | None]]:
    """Return columns by what they are, None for nothing, and by how they are written."""
    draw = random.Random(seed)

    def digits(count: int) -> str:
        return "".join(draw.choices(string.digits, k=count))

    def until(valid: Callable[[str], bool], make: Callable[[], str]) -> str:
        return next(text for text in iter(make, None) if valid(text))

    def day() -> tuple[int, int, int]:
        return draw.randrange(1940, 2020), draw.randrange(1, 13), draw.randrange(1, 29)

    made: dict[tuple[str | None, str], Callable[[], str]] = {
        ("e-mail address", "plain"): lambda: f"u{digits(5)}@example.org",
        ("telephone number", "Germany"): lambda: f"0171-{digits(7)}",
        ("telephone number", "with a country"): lambda: f"+49 171 {digits(7)}",
        ("telephone number", "an area in brackets"): lambda: f"(206)555{digits(4)}",
        ("telephone number", "only digits"): lambda: f"206555{digits(4)}",
        ("telephone number", "hyphens"): lambda: f"206-555-{digits(4)}",
        ("telephone number", "France"): lambda: f"06 {digits(2)} {digits(2)} {digits(2)} {digits(2)}",
        ("IP address", "v4"): lambda: ".".join(str(draw.randrange(256)) for _ in range(4)),
        ("IP address", "v6"): lambda: f"2001:db8::{draw.randrange(65536):x}",
        ("device address", "MAC"): lambda: ":".join(f"{draw.randrange(256):02x}" for _ in range(6)),
        ("vehicle number", "Europe"): lambda: f"WVWZZZ1JZXW{digits(6)}",
        ("vehicle number", "North America"): lambda: f"1HGCM82633A{digits(6)}",
        ("web address", "https"): lambda: f"https://example.org/{digits(4)}",
        ("hash", "SHA-256"): lambda: hashlib.sha256(digits(9).encode()).hexdigest(),
        ("UUID", "plain"): lambda: str(UUID(int=draw.getrandbits(128))),
        ("IBAN", "Germany"): lambda: (lambda tail: f"DE{iban.calc_check_digits('DE00' + tail)}{tail}")(digits(18)),
        ("card number", "plain"): lambda: (lambda head: head + luhn.calc_check_digit(head))("4" + digits(14)),
        ("device number", "IMEI"): lambda: until(imei.is_valid, lambda: "35" + digits(13)),
        ("social security number", "plain"): lambda: f"{draw.randrange(100, 600)}-{draw.randrange(10, 99)}-{digits(4)}",
        ("national number", "Poland"): lambda: until(
            pesel.is_valid, lambda: f"{draw.randrange(40, 99)}{draw.randrange(1, 13):02}{draw.randrange(1, 29):02}{digits(5)}"
        ),
        ("national number", "Netherlands"): lambda: until(bsn.is_valid, lambda: digits(9)),
        ("national number", "England"): lambda: until(nhs.is_valid, lambda: "4" + digits(9)),
        ("national number", "France"): lambda: until(
            nir.is_valid, lambda: f"{draw.randrange(1, 3)}{draw.randrange(40, 99)}0{draw.randrange(1, 10)}75{digits(8)}"
        ),
        ("national number", "Brazil"): lambda: cpf.format(until(cpf.is_valid, lambda: digits(11))),
        ("national number", "Spain"): lambda: (lambda number: number + dni.calc_check_digit(number))(digits(8)),
        ("national number", "Italy"): lambda: (lambda head: head + codicefiscale.calc_check_digit(head))(
            f"RSSMRA{draw.randrange(40, 99)}A{draw.randrange(1, 29):02}F{digits(3)}"
        ),
        ("name", "first and last"): lambda: f"{draw.choice(_FIRST)} {draw.choice(_LAST)}",
        ("name", "last and first"): lambda: f"{draw.choice(_LAST)}, {draw.choice(_FIRST)}",
        ("street address", "English"): lambda: f"{digits(3)} {draw.choice(['Oak', 'N Main'])} {draw.choice(['St', 'Ave.'])}",
        ("street address", "German"): lambda: f"{draw.choice(['Hauptstraße', 'Gartenstr.', 'Amselweg'])} {digits(2)}",
        ("street address", "French"): lambda: f"{digits(2)} rue {draw.choice(['de la Paix', 'Hugo', 'des Écoles'])}",
        ("street address", "Spanish"): lambda: f"Calle {draw.choice(['Mayor', 'del Sol'])} {draw.randrange(1, 99)}",
        ("street address", "Polish"): lambda: f"ul. {draw.choice(['Długa', 'Polna'])} {draw.randrange(1, 99)}",
        ("free text", "notes"): lambda: f"seen on ward {digits(2)}, fever of {digits(2)}, the family was told",
        ("date", "ISO"): lambda: "{}-{:02}-{:02}".format(*day()),
        ("date", "ISO with a time"): lambda: "{}-{:02}-{:02}T10:00:00Z".format(*day()),
        ("date", "compact"): lambda: "{}{:02}{:02}".format(*day()),
        ("date", "European"): lambda: "{2:02}.{1:02}.{0}".format(*day()),
        ("date", "hyphens"): lambda: "{2:02}-{1:02}-{0}".format(*day()),
        ("date", "with a month"): lambda: f"{draw.randrange(1, 29)} May {draw.randrange(1950, 2020)}",
        (None, "amounts"): lambda: f"{draw.randrange(1, 100000)}.{digits(2)}",
        (None, "thousands"): lambda: f"{draw.randrange(100, 999)} {digits(3)} {digits(3)}",
        (None, "years"): lambda: str(draw.randrange(1900, 2020)),
        (None, "spans of years"): lambda: f"{draw.randrange(1950, 1960)}-{draw.randrange(1960, 1970)}",
        (None, "zip codes"): lambda: digits(5),
        (None, "long zip codes"): lambda: f"{digits(5)}-{digits(4)}",
        (None, "short codes"): lambda: f"A{digits(2)}",
        (None, "9 digits"): lambda: digits(9),
        (None, "10 digits"): lambda: digits(10),
        (None, "11 digits"): lambda: digits(11),
        (None, "15 digits"): lambda: digits(15),
        (None, "16 digits"): lambda: "4" + digits(15),
        (None, "times"): lambda: f"{draw.randrange(24):02}:{digits(2)}:{digits(2)}",
        (None, "seconds since 1970"): lambda: f"16{digits(8)}",
        (None, "intervals"): lambda: f"[{digits(5)}, {digits(5)})",
        (None, "sets"): lambda: f"{{{', '.join(digits(5) for _ in range(6))}}}",
        (None, "ranges"): lambda: f"{digits(3)}-{digits(3)}",
        (None, "cities"): lambda: draw.choice(_CITIES),
        (None, "diagnoses"): lambda: draw.choice(_ICD),
        (None, "words"): lambda: draw.choice(("low", "medium", "high")),
        (None, "coordinates"): lambda: f"47.{digits(5)}",
    }  # fmt: skip
    found: dict[tuple[str | None, str], list[str | None]] = {key: [make() for _ in range(_ROWS)] for key, make in made.items()}
    for texts in found.values():
        texts[3:9] = [None, "*", "", None, " " + str(texts[0]), "n/a"]
    return found
