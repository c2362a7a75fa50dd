"""`kanon verify` and `kanon report` of what tokens give away: counted again in the release."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kanon_sql
from kanon_sql.certificate import Certificate
from kanon_sql.cli import main

Run = Callable[..., Result]

VISITS = """CREATE TABLE visits AS
    SELECT 'P' || i % 60 AS patient, '9810' || i % 60 % 4 AS zip, 20 + (i % 60 + {} * (hash(i) % 5)) % 3 AS age
    FROM range(180) AS t(i)"""
"""Each patient comes three times. Under 0, the age is the same each time, and 5 patients have each zip and age."""

PARTS = "IDENTIFIER patient AS PSEUDONYM{}; BY zip, age; GUARANTEE k >= {}{}"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder, without a secret in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KANON_SECRET")
    return lambda *command: CliRunner().invoke(main, command)


def release(*, linkable: str = "", k: int = 5, per: str = "", moving: int = 0, again: bool = False) -> Certificate:
    """Write a source, its release and its certificate."""
    with kanon_sql.connect(secret="key") as con:
        con.execute(VISITS.format(moving))
        con.execute(f"CREATE ANONYMIZATION POLICY p ON visits ({PARTS.format(linkable, k, per)})")
        con.execute("COPY visits TO 'in.parquet'")
        if again:
            con.execute("FROM (FROM visits WHERE patient <> 'P3') ANONYMIZE WITH POLICY p").fetchall()
        con.execute("COPY (FROM visits ANONYMIZE WITH POLICY p) TO 'out.parquet'")
        certificate = kanon_sql.releases(con)[-1]
    Path("cert.json").write_text(certificate.to_json())
    return certificate


def verify(run: Run, *more: str) -> Result:
    return run("verify", "in.parquet", "out.parquet", "cert.json", "--pseudonym", "patient", *more)


def change(before: str, after: str) -> None:
    """Change a claim, and the checksum with it."""
    text = Path("cert.json").read_text()
    assert before in text
    body = text.replace(before, after)
    data = json.loads(body)
    from kanon_sql.certificate.file import _end

    start = body[: body.index(f'  "sha256": "{data["sha256"]}"')]
    Path("cert.json").write_text(start + _end(start))


@pytest.mark.exhaustive
def test_people_are_counted_by_their_tokens(run: Run) -> None:
    release(per=" PER patient")
    Path("secret").write_text("key")
    for more in (["--secret-file", "secret"], []):
        done = verify(run, "--json", *more)
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        assert found["people"] == "the class with fewest has rows of 5 people, counted by their tokens"
        assert found["tokens of patient"].endswith("on average; counted again")
    done = run("report", "in.parquet", "out.parquet", "-o", "page.html", "--certificate", "cert.json")
    assert done.exit_code == 0, done.output
    page = Path("page.html").read_text()
    assert "rows of 5 people, counted by their tokens" in page
    assert "60 people: 0 alone in their history, at least 5 candidates each, 5.0 on average" in page


@pytest.mark.exhaustive
def test_a_class_of_too_few_people_is_refused(run: Run) -> None:
    release(per=" PER patient")
    change('{"k":5,"per":"patient","type":"people"}', '{"k":6,"per":"patient","type":"people"}')
    change('"k >= 5 PER patient"', '"k >= 6 PER patient"')
    done = verify(run)
    assert done.exit_code == 1
    assert "k >= 6 PER patient does not hold: some class has rows of at most 5 people" in " ".join(done.stderr.split())


CHANGES = {
    "people": ('"people": 60', '"people": 61', "but the release has 60 people"),
    "alone": ('"alone": 0, "fewest": 5', '"alone": 1, "fewest": 1', "0 alone"),
    "fewest": ('"fewest": 5', '"fewest": 4', "at least 5 candidates"),
    "average": ('"average": "5"', '"average": "6"', "5.0 on average"),
    "the column": ('"column": "patient"', '"column": "zip"', "it does not have the pseudonyms of the policy"),
    "no claim": ('"histories": [{', '"histories": [], "warnings2": [{', "is not a field"),
    "a share": ('"people": 60', '"people": 60.0', '"histories": must be a list of what tokens give away'),
    "impossible": ('"alone": 0', '"alone": 5', '"histories": must be a list of what tokens give away'),
    "more than there are": ('"fewest": 5', '"fewest": 61', '"histories": must be a list of what tokens give away'),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changed_claims_are_refused(run: Run, case: str) -> None:
    before, after, told = CHANGES[case]
    release()
    change(before, after)
    done = verify(run)
    assert done.exit_code == 1
    assert told in " ".join(done.stderr.split())
    assert '"histories":' in done.stderr or case == "no claim"


@pytest.mark.exhaustive
def test_a_claim_that_is_gone_is_refused(run: Run) -> None:
    release()
    lines = Path("cert.json").read_text().splitlines(keepends=True)
    Path("cert.json").write_text("".join(line for line in lines if not line.startswith('  "histories"')))
    assert "it does not have the pseudonyms of the policy" in " ".join(verify(run).stderr.split())


def test_tokens_that_are_not_linkable_single_nobody_out(run: Run) -> None:
    """A release that a policy without (LINKABLE) does not permit, with true figures of it."""
    release(linkable=" (LINKABLE)", moving=1)
    assert verify(run).exit_code == 0
    change('"linkable":["patient"],', "")
    done = verify(run)
    assert done.exit_code == 1
    assert "the tokens of patient are not linkable, but leave some person" in " ".join(done.stderr.split())


@pytest.mark.exhaustive
def test_with_earlier_releases_the_figures_are_bounds(run: Run) -> None:
    certificate = release(linkable=" (LINKABLE)", again=True)
    (risk,) = certificate.histories
    assert (risk.releases, risk.alone) == (1, 1)  # P3 is in the second release alone
    found = json.loads(verify(run, "--json").stdout)
    assert found["tokens of patient"].endswith("; counted again for this release alone: the others are not at hand")
    assert "histories over several releases" in found["only by the checksum"]
    change('"people": 60', '"people": 59')
    assert verify(run).exit_code == 1
