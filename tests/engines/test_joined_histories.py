"""What tokens and shared keys give away over all tables of a released database, against counts in plain Python."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Hashable
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.database.audit import audit_database
from kanon_sql.errors import AuditError, KanonWarning

VISITS = 60


def visit(number: int) -> int:
    return 1000 + 7 * number


def stays() -> list[tuple[int, int, str]]:
    return [(visit(number), 9000 + number // 4, f"ward {number % 2}") for number in range(VISITS)]


def scripts() -> list[tuple[int, str]]:
    return [(visit(number), f"drug {drug}") for number in range(0, VISITS, 2) for drug in (number % 3, 10 + number // 2 % 7)]


def released(folder: Path, stays_roles: str, scripts_roles: str = "kept: [visit]", other: str = "visit") -> Path:
    """Release both tables, whose classes have at least three rows; ``other`` is what the scripts show as their visit."""
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        con.execute("CREATE TABLE stays (visit BIGINT, patient BIGINT, ward VARCHAR)")
        con.executemany("INSERT INTO stays VALUES (?, ?, ?)", stays())
        con.execute("CREATE TABLE written (visit BIGINT, drug VARCHAR)")
        con.executemany("INSERT INTO written VALUES (?, ?)", scripts())
        con.execute(f"CREATE TABLE scripts AS SELECT {other} AS visit, drug FROM written")
    guarantee = "requirements: [{type: k, k: 3}]"
    (folder / "policies.yaml").write_text(
        f"policies:\n- {{name: stays, table: stays, quasi_identifiers: [{{column: ward}}], {stays_roles}, {guarantee}}}\n"
        f"- {{name: scripts, table: scripts, quasi_identifiers: [{{column: drug}}], {scripts_roles}, {guarantee}}}\n"
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", KanonWarning)
        kanon_sql.release_database(folder / "clinic.duckdb", folder / "public.duckdb", policies=folder / "policies.yaml")
    (folder / "told").write_text("\n".join(str(each.message) for each in told))
    return folder / "public.duckdb"


def counted(by_patient: bool) -> str:
    """Return what the audit says, counted from the source, whose classes show everything."""
    patient = {number: person for number, person, _ in stays()}
    histories: dict[Hashable, list[str]] = defaultdict(list)
    for number, _, ward in stays():
        histories[patient[number] if by_patient else number].append(ward)
    for number, drug in scripts():
        histories[patient[number] if by_patient else number].append(drug)
    same = Counter(tuple(sorted(each)) for each in histories.values())
    candidates = [same[tuple(sorted(each))] for each in histories.values()]
    assert candidates.count(1)
    return (
        f"{candidates.count(1)} of {len(candidates)} people are alone in their history, and everybody has at least "
        f"{min(candidates)} candidates"
    )


@pytest.mark.everything
def test_a_key_that_tables_share_is_counted_and_refused(tmp_path: Path) -> None:
    with pytest.raises(AuditError) as refusal:
        released(tmp_path, "kept: [visit], identifiers: [patient]")
    told = f"by the shared key scripts.visit, stays.visit, {counted(by_patient=False)}; hint: drop the key from one table"
    assert told in str(refusal.value)
    assert not (tmp_path / "public.duckdb").exists()


@pytest.mark.everything
def test_a_key_that_one_table_leaves_out_links_nothing(tmp_path: Path) -> None:
    found = audit_database(released(tmp_path, "identifiers: [patient, visit]"))
    assert (found.broken, found.warnings, found.tokens, found.keys) == ([], [], None, [])


@pytest.mark.everything
def test_tokens_of_the_key_are_permitted_if_linkable(tmp_path: Path) -> None:
    tokens = "pseudonyms: [visit], linkable: [visit]"
    found = audit_database(released(tmp_path, f"{tokens}, identifiers: [patient]", tokens))
    told = f"by the tokens of all tables, {counted(by_patient=False)}"
    assert (found.broken, found.warnings, found.keys) == ([], [told], [])
    assert told in (tmp_path / "told").read_text()


@pytest.mark.everything
def test_rows_that_belong_to_a_person_through_a_key_are_part_of_the_history(tmp_path: Path) -> None:
    """Scripts do not name patients; their visit belongs to one patient, whose token is in the table of stays."""
    tokens = "pseudonyms: [visit], linkable: [visit]"
    found = audit_database(released(tmp_path, "pseudonyms: [patient, visit], linkable: [patient, visit]", tokens))
    assert found.warnings == [f"by the tokens of all tables, {counted(by_patient=True)}"]


@pytest.mark.everything
@pytest.mark.parametrize(
    "other",
    [
        "visit + 1",  # no value is shared
        "row_number() OVER ()",  # numbers of rows
        "CASE WHEN visit // 14 % 2 = 0 THEN visit ELSE -visit END",  # half of them
        "visit // 100",  # stands for many rows
    ],
)
def test_columns_that_are_equal_by_chance_are_no_key(tmp_path: Path, other: str) -> None:
    found = audit_database(released(tmp_path, "kept: [visit], identifiers: [patient]", other=other))
    assert (found.broken, found.tokens) == ([], None)


def test_rows_without_a_key_are_not_linked(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="by the shared key"):
        released(tmp_path, "kept: [visit], identifiers: [patient]", other="CASE WHEN drug <> 'drug 10' THEN visit END")
