"""What a certificate says, in words and rounded figures for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate


def saving(certificate: Certificate) -> str:
    """Return what the lower bound of a release means."""
    return "no release costs less" if certificate.gap == 0 else f"at most {certificate.gap:.1%} of the cost could be saved"


def figures(certificate: Certificate) -> dict[str, str]:
    """Return what a certificate says, for people."""
    c = certificate
    share = c.suppressed_cells / c.cells if c.cells else 0.0
    return {
        "guarantee": ", ".join(c.requirements),
        "rows": f"{c.rows:,} of {c.row_types:,} kinds",
        "classes": "-" if c.classes is None else f"{c.classes:,}",
        "smallest class": "-" if c.smallest_class is None else f"{c.smallest_class:,} rows",
        "suppressed cells": f"{c.suppressed_cells:,} of {c.cells:,} ({share:.1%})",
        "cost": f"{float(c.cost):,.12g}, lower bound {float(c.lower_bound):,.12g}: {saving(c)}",
        "algorithm": f"{c.algorithm} ({c.reason})",
        "solved": f"{c.status.value}, {c.seconds:.2f} s",
    }
