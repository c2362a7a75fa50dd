"""A place in the tokens that moves on as a clause is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from sqlglot import TokenType

from kanon_sql.clause.script import Script
from kanon_sql.errors import ClauseError, PolicyError

T = TypeVar("T")

_DIGITS = 40
"""Most characters of a number."""


@dataclass(slots=True)
class Reader:
    """Read tokens one after the other."""

    script: Script  # the tokens of the text
    place: int  # the token that comes next

    @property
    def spelled(self) -> str:
        """The next token as the text spells it."""
        return self.script.spelled(self.place)

    @property
    def word(self) -> str:
        """The next token in capitals where it is an unquoted word, else nothing."""
        return self.script.word(self.place)

    @property
    def kind(self) -> TokenType | None:
        """The type of the next token."""
        return self.script.kind(self.place)

    def ahead(self, *wanted: str) -> bool:
        """Return whether the next tokens are these words, in capitals, or signs."""
        return all(self.script.spelled(self.place + number).upper() == one for number, one in enumerate(wanted))

    def skip(self, *wanted: str) -> bool:
        """Move behind these words or signs if they come next; return whether they did."""
        found = self.ahead(*wanted)
        self.place += len(wanted) * found
        return found

    def expect(self, sign: str, where: str) -> None:
        """Move behind ``sign``, which has to come next."""
        if not self.skip(sign):
            raise self.error(f"expected {sign} {where}")

    def unquote(self) -> str:
        """Move behind a quoted name or text and return what the quotes hold."""
        quote, inner = self.spelled[0], self.spelled[1:-1]
        self.place += 1
        return inner.replace(quote * 2, quote)

    def decimal(self) -> str | None:
        """Move behind a number such as 3, 0.5, .5 or 1_000 and return it; anything else stays."""
        start, end = self.place, self.place + self.ahead(".") + 1
        number = "".join(map(self.script.spelled, range(start, end))).replace("_", "")
        # No exponents: 1e999999 would be a number of a million digits.
        if not number.replace(".", "", 1).isdecimal() or not number.isascii() or len(number) > _DIGITS:
            return None
        self.place = end
        return number

    def number(self, hint: str) -> Fraction:
        """Move behind a decimal, or a quotient of two such as 7/3, and return it."""
        start = self.place
        number = self.decimal()
        divisor = self.decimal() if number is not None and self.skip("/") else "1"
        if number is None or divisor is None:
            inside = self.spelled[1:-1] if self.kind in {TokenType.STRING, TokenType.IDENTIFIER} else ""
            long = self.spelled.isdecimal() and len(self.spelled) > _DIGITS
            problem = (
                f"a number has more than {_DIGITS} digits; hint: round it" if long else f"expected a number; hint: write {hint}"
            )
            raise self.mistake(problem, inside) if inside.isdecimal() else self.error(problem)
        if self.spelled == "%":
            share = format(Decimal(number) / 100, "f")
            raise self.script.mistake(
                "a share must be a number from 0 to 1; hint: write 0.2 for 20 %", share, start, self.place
            )
        if Fraction(divisor) == 0:
            raise self.script.error("a number cannot be divided by 0", start, self.place - 1)
        return Fraction(number) / Fraction(divisor)

    def separated(self, read: Callable[[], T]) -> list[T]:
        """Read one or more parts with commas between them."""
        parts = [read()]
        while self.skip(","):
            parts.append(read())
        return parts

    def error(self, message: str) -> ClauseError:
        """Return the error that points at the next token."""
        if self.spelled in {"?", "$"}:
            message = "parameters are not supported in the clause; hint: write the value itself, as in k >= 5"
        return self.script.error(message, self.place)

    def mistake(
        self, problem: str, instead: str, last: int | None = None, *, first: int | None = None, shown: int | None = None
    ) -> ClauseError:
        """Return the error that points at the next tokens and knows what was probably meant; see :meth:`Script.mistake`."""
        if self.spelled in {"?", "$"}:
            return self.error(problem)
        return self.script.mistake(problem, instead, self.place, last, first=first, shown=shown)

    def checked(self, build: Callable[[], T], start: int) -> T:
        """Build a part of the policy; what it refuses is an error at the tokens from ``start`` to here."""
        try:
            return build()
        except PolicyError as problem:
            raise self.script.error(str(problem), start, self.place - 1) from problem
