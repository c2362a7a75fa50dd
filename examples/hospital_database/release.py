"""Release three tables of a hospital together, analyse source and release side by side, and try to find people.

Run it: ``python examples/hospital_database/release.py``. It writes into a folder of its own and removes it.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from pathlib import Path

import duckdb

import kanon_sql

HERE = Path(__file__).resolve().parent

ANALYSES = {
    "mean cost of a stay by ward": "SELECT ward, round(avg(cost)) FROM {}.stays GROUP BY ward ORDER BY ward NULLS LAST",
    "packs by drug": "SELECT drug, sum(packs) FROM {}.prescriptions GROUP BY drug ORDER BY drug NULLS LAST",
    "stays by sex": "SELECT sex, count(*) FROM {}.stays GROUP BY sex ORDER BY sex NULLS LAST",
}
"""The source has no sex in its stays: there it comes from the patients."""

ATTACK = """
WITH known AS (
    -- the attacker knows everything about the stays of every patient
    SELECT s.patient, p.zip, p.born, p.sex, s.ward, s.quarter FROM source.stays AS s JOIN source.patients AS p USING (patient)
), alike AS (
    SELECT zip, born, sex, ward, quarter, count(DISTINCT patient) AS people FROM known GROUP BY ALL
)
SELECT count(*) FILTER (people = 1) AS alone, min(people) AS fewest FROM alike
"""

RELEASED = "SELECT min(n) FROM (SELECT count(*) AS n FROM public.stays GROUP BY zip, born, sex, ward, quarter)"


def main(folder: Path) -> None:
    """Make the source, release it, compare, attack."""
    with duckdb.connect(str(folder / "hospital.duckdb")) as con:
        con.execute((HERE / "source.sql").read_text(encoding="utf-8"))
    started = time.monotonic()
    certificates = kanon_sql.release_database(
        folder / "hospital.duckdb", folder / "public.duckdb", policies=HERE / "policies.yaml"
    )
    print(f"released, audited and written in {time.monotonic() - started:.0f} s")
    for release, certificate in certificates.items():
        print(f"{release}: {', '.join(certificate.requirements)}, {certificate.rows} rows, {certificate.classes} classes")
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{folder / 'hospital.duckdb'}' AS source (READ_ONLY)")
        con.execute(f"ATTACH '{folder / 'public.duckdb'}' AS public (READ_ONLY)")
        con.execute("CREATE SCHEMA joined")
        con.execute(
            "CREATE VIEW joined.stays AS SELECT s.*, p.sex FROM source.stays AS s JOIN source.patients AS p USING (patient)"
        )
        con.execute("CREATE VIEW joined.prescriptions AS FROM source.prescriptions")
        for title, query in ANALYSES.items():
            print(f"\n{title}: source, then release")
            print("  ", con.execute(query.format("joined")).fetchall())
            print("  ", con.execute(query.format("public")).fetchall())
        alone, fewest = con.execute(ATTACK).fetchall()[0]
        print(f"\nin the source, {alone} combinations are of one patient alone, the fewest people of one: {fewest}")
        smallest = con.execute(RELEASED).fetchall()[0][0]
        print(f"in the release, the fewest rows of one: {smallest}, and these are rows of at least 5 patients")


if __name__ == "__main__":
    warnings.simplefilter("ignore", kanon_sql.KanonWarning)  # cost is released unchanged on purpose
    with tempfile.TemporaryDirectory() as own:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(own))
