"""What a column seems to say about people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RoleName = Literal["identifier", "quasi-identifier", "sensitive"]


@dataclass(frozen=True)
class Recognized:
    """What a column was recognized as."""

    role: RoleName  # ``'identifier'``, ``'quasi-identifier'`` or ``'sensitive'``
    kind: str  # a short noun, such as ``'e-mail address'`` or ``'date of birth'``
    reason: str  # why, such as ``'by its name'`` or ``'looks like e-mail'``
    # whether a person tends to have one value of it: birth date, age, sex, marital status, job, nationality, income, address
    # and its parts
    personal: bool = False
