"""What a column seems to say about people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RoleName = Literal["identifier", "quasi-identifier", "sensitive"]


@dataclass(frozen=True)
class Recognized:
    """What a column was recognized as.

    Attributes
    ----------
    role : str
        ``'identifier'``, ``'quasi-identifier'`` or ``'sensitive'``.
    kind : str
        A short noun, such as ``'e-mail address'`` or ``'date of birth'``.
    reason : str
        Why, such as ``'by its name'`` or ``'looks like e-mail'``.
    personal : bool
        Whether a person tends to have one value of it: birth date, age, sex, marital status, job, nationality, income,
        address and its parts.
    """

    role: RoleName
    kind: str
    reason: str
    personal: bool = False
