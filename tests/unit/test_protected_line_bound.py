"""The bound that `kanon verify` computes from line cuts: no multipliers prove more than the optimum."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import suppress

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.errors import CertificateError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.table.cell_table import LineCut
from kanon_sql.verification.cells.line_bound import proven
from kanon_sql.verification.cells.published_system import BaseCell, PublishedSystem

LINES = "line cuts"


def drawn(seed: int) -> tuple[TableCertificate, PublishedSystem]:
    """Return the certificate of a random table, and its system counted here again."""
    draw = random.Random(seed)
    people = [("abc"[draw.randrange(3)], "xyz"[draw.randrange(draw.choice([2, 3]))]) for _ in range(draw.randrange(12, 40))]
    table = pa.table({"a": [a for a, _ in people], "b": [b for _, b in people]})
    options = {"k": draw.choice([3, 4, 5]), "rows": draw.choice(["null", "absent"]), "cost": draw.choice(["cells", "n"])}
    released = kanon_sql.protect(table, ["a", "b"], grouping=draw.choice(["cube", "rollup"]), algorithm="optimal", **options)
    cells = [BaseCell(keys=keys, values=(count,), largest=()) for keys, count in sorted(Counter(people).items())]
    certificate = released.certificate
    tabulation = Tabulation.from_dict(json.loads(certificate.tabulation))
    return certificate, PublishedSystem(tabulation, Protection.from_dict(json.loads(certificate.protection)), cells)


@pytest.mark.parametrize("seed", range(12))
def test_no_multipliers_prove_more_than_the_optimum(seed: int) -> None:
    certificate, system = drawn(seed)
    assert certificate.status.value == "OPTIMAL"
    cuts = []
    for row in sorted(system.primaries):
        for parent in range(system.rows):
            for refined in range(len(system.tabulation.sets)):
                cut = LineCut(row=row, measure=0, parent=parent, refined=refined, price=1)
                with suppress(CertificateError):
                    proven(system, [cut], 1)
                    cuts.append(cut)
    draw = random.Random(seed)
    for _ in range(60 if cuts else 0):
        chosen = [
            LineCut(row=each.row, measure=0, parent=each.parent, refined=each.refined, price=draw.randrange(5))
            for each in draw.sample(cuts, draw.randrange(1, min(len(cuts), 6) + 1))
        ]
        assert proven(system, chosen, draw.choice([1, 2, 4])) <= certificate.cost


@pytest.mark.parametrize("seed", range(12))
def test_the_multipliers_of_a_solver_prove_its_bound(seed: int) -> None:
    certificate, system = drawn(seed)
    evidence = certificate.evidence
    assert evidence is not None
    assert set(evidence.primaries) == system.primaries
    bound = proven(system, evidence.cuts, evidence.scale)
    assert bound <= certificate.cost
    if certificate.bound_method == LINES:
        assert bound >= certificate.lower_bound
