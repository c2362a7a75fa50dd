"""First mistakes in the clause: the error shows the clause that was meant, and that one can be read."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

import kanon_sql
from kanon_sql.clause import not_our_word, rewrite
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import ClauseError

BEFORE = "SELECT zip, age, disease FROM patients WHERE name = 'Miller' "

K = "ANONYMIZE BY zip GUARANTEE k >= 5"
TWO = "ANONYMIZE BY zip, age GUARANTEE k >= 5"
L = "ANONYMIZE BY zip GUARANTEE k >= 5 AND l(disease) >= 2"
T = "ANONYMIZE BY zip GUARANTEE t(disease, 'ordered') <= 0.3"

MISTAKES = {
    # without BY, or with another word for it
    "ANONYMIZE zip GUARANTEE k >= 5": K,
    "ANONYMIZE zip, age GUARANTEE k >= 5": TWO,
    "ANONYMIZE (zip, age) GUARANTEE k >= 5": TWO,
    "ANONYMIZE ON zip GUARANTEE k >= 5": K,
    "anonymize for zip guarantee k >= 5": "ANONYMIZE BY zip guarantee k >= 5",
    "ANONYMIZE POLICY research": "ANONYMIZE WITH POLICY research",
    "ANONYMIZE WITH POLCY research": "ANONYMIZE WITH POLICY research",
    "ANONYMIZE USING POLICY research": "ANONYMIZE WITH POLICY research",
    "ANONYMIZE WITH research": "ANONYMIZE WITH POLICY research",
    # the columns
    "ANONYMIZE BY 'zip' GUARANTEE k >= 5": K,
    "ANONYMIZE BY 'zip', 'age' GUARANTEE k >= 5": TWO,
    "ANONYMIZE BY (zip age) GUARANTEE k >= 5": TWO,
    "ANONYMIZE BY (zip, age) GUARANTEE k >= 5": TWO,
    "ANONYMIZE BY [zip, age] GUARANTEE k >= 5": TWO,
    "ANONYMIZE BY zip age GUARANTEE k >= 5": TWO,
    "ANONYMIZE BY zip and age GUARANTEE k >= 5": TWO,
    "ANONYMIZE BY zip, age, GUARANTEE k >= 5": TWO,
    "ANONYMIZE BY patients.zip GUARANTEE k >= 5": K,
    "ANONYMIZE BY native-country, zip GUARANTEE k >= 5": 'ANONYMIZE BY "native-country", zip GUARANTEE k >= 5',
    "ANONYMIZE BY zip, hours-per-week GUARANTEE k >= 5": 'ANONYMIZE BY zip, "hours-per-week" GUARANTEE k >= 5',
    "ANONYMIZE BY 'native-country' GUARANTEE k >= 5": 'ANONYMIZE BY "native-country" GUARANTEE k >= 5',
    "ANONYMIZE BY zip IN DIGTS GUARANTEE k >= 5": "ANONYMIZE BY zip IN DIGITS GUARANTEE k >= 5",
    "ANONYMIZE BY zip IN 'DIGITS' GUARANTEE k >= 5": "ANONYMIZE BY zip IN DIGITS GUARANTEE k >= 5",
    "ANONYMIZE BY zip AS DIGITS GUARANTEE k >= 5": "ANONYMIZE BY zip IN DIGITS GUARANTEE k >= 5",
    "ANONYMIZE BY zip DIGITS GUARANTEE k >= 5": "ANONYMIZE BY zip IN DIGITS GUARANTEE k >= 5",
    "ANONYMIZE BY age IN INTERVALS 5 GUARANTEE k >= 5": "ANONYMIZE BY age IN INTERVALS (5) GUARANTEE k >= 5",
    "ANONYMIZE BY age IN CUTS 18 GUARANTEE k >= 5": "ANONYMIZE BY age IN CUTS (18) GUARANTEE k >= 5",
    "ANONYMIZE BY age IN TOP 90 GUARANTEE k >= 5": "ANONYMIZE BY age TOP 90 GUARANTEE k >= 5",
    "ANONYMIZE BY age TPO 90 GUARANTEE k >= 5": "ANONYMIZE BY age TOP 90 GUARANTEE k >= 5",
    "ANONYMIZE BY age MAX 90 GUARANTEE k >= 5": "ANONYMIZE BY age TOP 90 GUARANTEE k >= 5",
    "ANONYMIZE BY zip GUARANTEE k >= 5 KEEP disease": "ANONYMIZE BY zip KEEP disease GUARANTEE k >= 5",
    # the word GUARANTEE
    "ANONYMIZE BY zip GUARENTEE k >= 5": K,
    "ANONYMIZE BY zip GARANTEE k >= 5": K,
    "ANONYMIZE BY zip WITH k = 5": K,
    "ANONYMIZE BY zip HAVING k >= 5": K,
    "ANONYMIZE BY zip k >= 5": K,
    "GUARANTEE k >= 5 ANONYMIZE BY zip": K,
    # its conditions
    "ANONYMIZE BY zip GUARANTEE k = 5": K,
    "ANONYMIZE BY zip GUARANTEE k=5": K,
    "ANONYMIZE BY zip GUARANTEE k == 5": K,
    "ANONYMIZE BY zip GUARANTEE k := 5": K,
    "ANONYMIZE BY zip GUARANTEE k: 5": K,
    "ANONYMIZE BY zip GUARANTEE k > = 5": K,
    "ANONYMIZE BY zip GUARANTEE k => 5": K,
    "ANONYMIZE BY zip GUARANTEE k ≥ 5": K,
    "ANONYMIZE BY zip GUARANTEE k IS AT LEAST 5": K,
    "ANONYMIZE BY zip GUARANTEE k 5": K,
    "ANONYMIZE BY zip GUARANTEE k(5)": K,
    "ANONYMIZE BY zip GUARANTEE 5": K,
    "ANONYMIZE BY zip GUARANTEE (k >= 5)": K,
    "ANONYMIZE BY zip GUARANTEE k >= '5'": K,
    'ANONYMIZE BY zip GUARANTEE k >= "5"': K,
    "ANONYMIZE BY zip GUARANTEE k-anonymity >= 5": K,
    "ANONYMIZE BY zip GUARANTEE k-anonymity 5": K,
    "ANONYMIZE BY zip GUARANTEE K_ANONYMITY(5)": K,
    "ANONYMIZE BY zip GUARANTEE 5-anonymity": K,
    "ANONYMIZE BY zip GUARANTEE k >= 5, l(disease) >= 2": L,
    "ANONYMIZE BY zip GUARANTEE k >= 5 l(disease) >= 2": L,
    "ANONYMIZE BY zip GUARANTEE k >= 5 OR l(disease) >= 2": L,
    "ANONYMIZE BY zip GUARANTEE k >= 5 AND l('disease') >= 2": L,
    "ANONYMIZE BY zip GUARANTEE k >= 5 AND l-diversity(disease) >= 2": L,
    "ANONYMIZE BY zip GUARANTEE k >= 5 AND l_diversity(disease) = 2": L,
    'ANONYMIZE BY zip GUARANTEE t(disease, "ordered") <= 0.3': T,
    "ANONYMIZE BY zip GUARANTEE t(disease, ordered) <= 0.3": T,
    "ANONYMIZE BY zip GUARANTEE t(disease, 'ordered') <= 30%": T,
    "ANONYMIZE BY zip GUARANTEE t-closeness(disease, 'ordered') < 0.3": T,
    # what follows
    "ANONYMIZE BY zip GUARANTEE k >= 5 USING optimal (time_limt = 5)": f"{K} USING optimal (time_limit = 5)",
    "ANONYMIZE BY zip GUARANTEE k >= 5 USING optimal (timeout => 5)": f"{K} USING optimal (time_limit = 5)",
    "ANONYMIZE BY zip GUARANTEE k >= 5 USING optimal (time_limit := 5)": f"{K} USING optimal (time_limit = 5)",
    "ANONYMIZE BY zip GUARANTEE k >= 5 USING optimal (seed 5)": f"{K} USING optimal (seed = 5)",
    "ANONYMIZE BY zip GUARANTEE k >= 5 USING 'optimal'": f"{K} USING optimal",
    "ANONYMIZE BY zip GUARANTEE k >= 5 LIMT 5": f"{K} LIMIT 5",
    # several at once
    "ANONYMIZE FOR (zip, age) WITH k-anonymity = '5'": TWO,
}
"""What people type, and what they mean."""

WORDS = {
    "ANONYMISE BY zip GUARANTEE k >= 5": K,
    "ANONIMIZE BY zip GUARANTEE k >= 5": K,
    "ANONYMIZED BY zip GUARANTEE k >= 5": K,
    "anonymise by zip, age guarantee k = 5": "ANONYMIZE by zip, age guarantee k >= 5",
    "ANONYMIZED zip, age GUARENTEE k >= 5": TWO,
    "ANONYMIZE 'zip' 'age' GUARENTEE k = 5": TWO,
    "ANONYMISE WITH POLICY research": "ANONYMIZE WITH POLICY research",
}
"""Words that reach DuckDB, which cannot read them."""

POLICY = "CREATE ANONYMIZATION POLICY p ON t (BY zip; GUARANTEE k >= 5)"

STATEMENTS = {
    "CREATE ANONYMISATION POLICY p ON t (BY zip; GUARANTEE k >= 5)": POLICY,
    "CREATE ANONYMIZATION POLCY p ON t (BY zip; GUARANTEE k >= 5)": POLICY,
    "CREATE ANONYMIZE POLICY p ON t (BY zip; GUARANTEE k >= 5)": POLICY,
    "CREATE POLICY p ON t (BY zip; GUARANTEE k >= 5)": POLICY,
    "CREATE ANONYMIZATION POLICY p FOR t (BY zip; GUARANTEE k = 5)": POLICY,
    "CREATE ANONYMIZATION POLICY p ON t (BY zip, GUARANTEE k >= 5)": POLICY,
    "CREATE ANONYMIZATION POLICY p ON t (BY zip GUARANTEE k >= 5)": POLICY,
    "CREATE ANONYMIZATION POLICY p ON t (QI zip; GUARANTEE k >= 5)": POLICY,
    "CREATE ANONYMIZATION POLICY p ON t (BY zip; GUARANTE k >= 5)": POLICY,
    "SHOW ANONYMIZATION POLICY": "SHOW ANONYMIZATION POLICIES",
    "SHOW ANONYMISATION POLICES": "SHOW ANONYMIZATION POLICIES",
    "DROP ANONYMISATION POLICY p": "DROP ANONYMIZATION POLICY p",
}


@pytest.fixture
def con() -> Iterator[Connection]:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE patients (name VARCHAR, zip VARCHAR, age INTEGER, disease VARCHAR)")
        yield con


def told(sql: str) -> str:
    with pytest.raises(ClauseError) as caught:
        rewrite(sql, lambda body, *_: body)
    assert type(caught.value) is ClauseError
    assert (caught.value.__context__, caught.value.__cause__) == (None, None)
    assert caught.value.text in sql
    return str(caught.value)


def hint(message: str) -> str:
    return message.partition("; hint: ")[2].rpartition(" (line ")[0]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_clause_that_was_meant(mistake: str) -> None:
    assert hint(told(BEFORE + mistake)) == f"write {MISTAKES[mistake]}"
    if "POLICY" not in MISTAKES[mistake]:
        rewrite(BEFORE + MISTAKES[mistake], lambda body, *_: body)


@pytest.mark.sweep
@pytest.mark.parametrize("mistake", WORDS)
def test_a_word_that_duckdb_cannot_read(con: Connection, mistake: str) -> None:
    sql = BEFORE + mistake
    assert rewrite(sql, lambda body, *_: body) is sql  # it goes to DuckDB as it is
    with pytest.raises(ClauseError) as caught:
        con.execute(sql)
    assert hint(str(caught.value)) == f"write {WORDS[mistake]}"
    assert str(caught.value).endswith(f"(line 1, column {len(BEFORE) + 1}, at {mistake.split()[0]!r})")
    assert "Miller" not in str(caught.value)


@pytest.mark.sweep
@pytest.mark.parametrize("mistake", STATEMENTS)
def test_a_statement_about_policies(con: Connection, mistake: str) -> None:
    with pytest.raises(ClauseError) as caught:
        con.execute(mistake)
    assert hint(str(caught.value)) == f"write {STATEMENTS[mistake]}"


def test_words_without_a_clause_to_show(con: Connection) -> None:
    for sql, wanted in {
        "FROM patients ANONYMISE BY": "unknown word ANONYMISE; hint: did you mean ANONYMIZE?",
        "FROM patients GUARANTEE k >= 5": f"GUARANTEE needs ANONYMIZE BY before it; hint: write {TWO}",
        "EXPLAIN ANONYMISE FROM patients ANONYMIZE BY zip GUARANTEE k >= 5": "hint: did you mean EXPLAIN ANONYMIZE?",
        "CREATE ANONYMIZATION POLICY p ON t (SENSITIVE disease; BY zip; GUARANTEE k >= 5)": "as in GUARANTEE k >= 5 AND l(",
    }.items():
        with pytest.raises(ClauseError) as caught:
            con.execute(sql)
        assert wanted in str(caught.value)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "sql",
    [
        "SELEC 1",
        "SELECT anonymized, guarantee FROM WHERE",
        "SELECT 'ANONYMISE BY zip GUARANTEE k >= 5' FROM WHERE",
        "SELECT 1 -- ANONYMISE BY zip GUARANTEE k >= 5\nFROM WHERE",
        'SELECT "ANONYMISE" BY zip',
        "SELECT 'open ANONYMISE BY zip",
    ],
)
def test_what_is_wrong_elsewhere_stays_duckdbs_own(con: Connection, sql: str) -> None:
    assert not_our_word(sql) is None or "open" in sql
    with pytest.raises((duckdb.ParserException, kanon_sql.errors.KanonError)) as caught:
        con.execute(sql)
    assert "ANONYMIZE BY" not in str(caught.value)


def test_an_alias_that_is_nearly_the_word_is_an_alias(con: Connection) -> None:
    assert con.execute("SELECT count(*) AS n FROM patients anonymised").fetchall() == [(0,)]
    assert con.execute("SELECT anonymized FROM (SELECT 1 AS anonymized)").fetchall() == [(1,)]


@pytest.mark.parametrize("text", ["FROM patients ANONYMISE", "SELECT * FROM patients anonymise (zip, age)"])
def test_the_british_spelling_is_no_alias(con: Connection, text: str) -> None:
    with pytest.raises(ClauseError, match=r"(?i)ANONYMISE without BY would be read as an alias and release raw rows"):
        con.execute(text)
    assert con.execute("SELECT anonymise FROM (SELECT 1 AS anonymise)").fetchall() == [(1,)]
    assert con.execute("SELECT 1 AS anonymise").fetchall() == [(1,)]


@pytest.mark.parametrize("behind", ["LINKED", "KEEP", "LINKED;", "KEEP;"])
def test_a_word_before_guarantee_that_ends_the_statement(behind: str) -> None:
    message = told(f"FROM patients ANONYMIZE BY zip GUARANTEE k >= 5 {behind}")
    assert message.startswith(f"unexpected {behind.strip(';')} after the ANONYMIZE clause")


def test_a_correction_shows_no_value() -> None:
    message = told("FROM patients WHERE name = 'Miller' ANONYMIZE BY zip GUARANTEE k = 5 AND alpha(disease, 'hiv') <= 0.2")
    assert hint(message) == "write ANONYMIZE BY zip GUARANTEE k >= 5 AND alpha(disease, '...') <= 0.2"
    assert "hiv" not in message


def test_only_the_clause_with_the_mistake_is_shown() -> None:
    inner = "FROM (FROM patients ANONYMIZE BY zip GUARANTEE k >= 7) "
    assert hint(told(f"{inner} ANONYMIZE BY age GUARANTEE k = 3")) == "write ANONYMIZE BY age GUARANTEE k >= 3"
    assert hint(told("FROM (FROM a ANONYMIZE BY zip GUARANTEE k = 7) ANONYMIZE BY zip GUARANTEE k = 9")) == (
        "write ANONYMIZE BY zip GUARANTEE k >= 7"
    )
    assert hint(told(f"FROM a {K}; FROM b ANONYMIZE BY age -- by age\nGUARANTEE k = 3; FROM c ANONYMIZE age")) == (
        "write ANONYMIZE BY age GUARANTEE k >= 3"
    )


def test_a_long_clause_is_cut() -> None:
    columns = ", ".join(f"column_{n:02}" for n in range(40))
    assert hint(told(f"FROM t ANONYMIZE BY {columns} GUARANTEE k = 5")) == "write ... GUARANTEE k >= 5"
    cut = hint(told(f"FROM t ANONYMIZE {columns} GUARANTEE k >= 5"))
    assert cut.startswith("write ANONYMIZE BY column_00, column_01, ")
    assert cut.endswith(" ...")
    assert len(cut) < 220


def test_too_many_mistakes_keep_the_first_hint() -> None:
    names = " ".join(f"c{n}" for n in range(12))
    assert hint(told(f"FROM t ANONYMIZE BY {names} GUARANTEE k >= 5")) == f"write {TWO}"
    assert hint(told("FROM t ANONYMIZE BY zip GUARANTEE k = five")) == "write GUARANTEE k >= 5"


def test_a_script_names_the_place(con: Connection, tmp_path) -> None:
    with pytest.raises(ClauseError, match=r"write ANONYMIZE BY zip GUARANTEE k >= 5 \(line 2, column 1, at 'ANONYMISE'\)"):
        con.execute("FROM patients\nANONYMISE BY zip GUARANTEE k = 5")
