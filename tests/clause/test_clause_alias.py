"""The word ANONYMIZE that is no clause: names pass untouched, implicit aliases never do."""

from __future__ import annotations

import duckdb
import pytest

from kanon_sql.clause import rewrite
from kanon_sql.clause.alias import BEFORE_NAMES
from kanon_sql.errors import ClauseError
from kanon_sql.model.validation import RESERVED


def refuse_release(body: str, policy: object, wide: str | None) -> str:
    raise AssertionError("nothing is to be released")


UNTOUCHED = """
SELECT anonymize FROM t
SELECT zip, anonymize FROM t
SELECT DISTINCT anonymize FROM t
SELECT ALL anonymize FROM t
SELECT anonymize AS x FROM t
SELECT anonymize.zip FROM anonymize
SELECT t.anonymize FROM t
SELECT main.t.anonymize FROM t
SELECT 1 AS anonymize
SELECT 1 AS anonymize ORDER BY anonymize
SELECT anonymize: zip FROM t
SELECT "zip" AS "ANONYMIZE" FROM t "anonymize"
SELECT zip FROM t `anonymize`
SELECT 'FROM t ANONYMIZE (zip)'
SELECT $$FROM t ANONYMIZE (zip)$$, $a$ ANONYMIZE BY $a$
SELECT e'\\' ANONYMIZE BY zip'
SELECT zip FROM t -- ANONYMIZE BY zip GUARANTEE k >= 2
SELECT zip /* ANONYMIZE /* BY */ zip */ FROM t
SELECT anonymized, anonymize_by, anonymize$ FROM t
SELECT 2 * anonymize, 2 ** anonymize, -anonymize, anonymize::INT, (anonymize), [anonymize], {'a': anonymize} FROM t
SELECT {anonymize: 1}
SELECT {'anonymize': 1}.anonymize
SELECT * EXCLUDE anonymize FROM t
SELECT * EXCLUDE (anonymize), * REPLACE (anonymize AS zip) FROM t
SELECT sum(age) OVER anonymize FROM t WINDOW anonymize AS (ORDER BY age)
SELECT CASE WHEN anonymize THEN anonymize ELSE anonymize END FROM t
SELECT zip FROM t WHERE anonymize AND NOT anonymize OR zip IN (anonymize) AND zip LIKE anonymize
SELECT zip FROM t GROUP BY anonymize HAVING anonymize > 1 ORDER BY anonymize LIMIT 1
SELECT list_transform([1], lambda anonymize: anonymize + 1)
SELECT [anonymize FOR anonymize IN [1, 2]]
SELECT $anonymize
SELECT zip anonym\u0131ze FROM t -- anonymize
SELECT * FROM 'data/*/*.parquet' -- or 'data/*/*/*.parquet', anonymize
FROM anonymize
FROM t, anonymize
FROM t JOIN anonymize USING (anonymize)
FROM main.anonymize
FROM t AS anonymize
FROM t AS anonymize(a, b)
FROM anonymize('t', '{}')
FROM main.anonymize('t', '{}')
FROM kanon.main.anonymize('t', '{}')
FROM t, LATERAL anonymize('t', '{}')
TABLE anonymize
CALL anonymize('t', '{}')
EXPLAIN ANALYZE CALL anonymize('t', '{}')
WITH anonymize AS (SELECT 1) FROM anonymize
WITH a AS (SELECT 1), anonymize(x) AS (SELECT 1) SELECT 1
WITH RECURSIVE anonymize AS (SELECT 1) FROM anonymize
INSERT INTO anonymize VALUES (1)
INSERT INTO anonymize BY NAME SELECT 1 AS anonymize
INSERT INTO main.anonymize BY NAME SELECT 1 AS anonymize
INSERT INTO t AS anonymize BY NAME SELECT 1 AS zip
INSERT INTO anonymize WITH policy AS (SELECT 1 AS zip) FROM policy
SELECT anonymization, policy FROM t
SELECT 'CREATE ANONYMIZATION POLICY p ON t (BY zip; GUARANTEE k >= 5)'
CREATE TABLE anonymization (policy INTEGER)
CREATE TABLE IF NOT EXISTS anonymization AS SELECT 1 AS policies
DROP TABLE anonymization -- policy
SHOW anonymization -- policies
FROM t AS create_anonymization_policy
FROM anonymization policy
WITH drop AS (SELECT 1 AS anonymization), anonymization AS (SELECT 1 AS policy) FROM anonymization policy
SELECT 1; -- CREATE ANONYMIZATION POLICY p ON t (BY zip; GUARANTEE k >= 5)
/* DROP ANONYMIZATION POLICY p */ SELECT 1
SELECT "CREATE" FROM anonymization policy
UPDATE anonymize SET anonymize = 1
DELETE FROM anonymize
COPY anonymize TO 'x.csv'
CREATE TABLE anonymize (anonymize INTEGER, b INTEGER)
CREATE TABLE IF NOT EXISTS anonymize AS SELECT 1
CREATE OR REPLACE TEMP VIEW anonymize AS SELECT 1
CREATE OR REPLACE MACRO anonymize(tbl, policy) AS TABLE FROM query(tbl)
CREATE SCHEMA anonymize
DROP TABLE IF EXISTS anonymize
DROP MACRO anonymize
ALTER TABLE t ADD COLUMN anonymize INTEGER
ALTER TABLE t ADD anonymize INTEGER
ALTER TABLE t RENAME zip TO anonymize
PREPARE anonymize AS SELECT 1
EXECUTE anonymize
DEALLOCATE anonymize
PREPARE p AS UPDATE anonymize SET anonymize = 1
DESCRIBE anonymize
SUMMARIZE anonymize
SET anonymize = 3
SELECT 1; CALL anonymize('t', '{}')
this is ( no SQL, 'anonymize'
""".strip().splitlines()

_ALIASES = """
FROM t ANONYMIZE
FROM t anonymize
FROM t Anonymize;
FROM t ANONYMIZE (zip, age)
FROM t ANONYMIZE ORDER BY zip
FROM t ANONYMIZE LIMIT 1
FROM t ANONYMIZE GUARANTEE k >= 5
FROM t ANONYMIZE, t b
FROM t ANONYMIZE JOIN t b USING (zip)
FROM t ANONYMIZE WHERE true
FROM t ANONYMIZE TABLESAMPLE 10%
FROM t ANONYMIZE -- BY zip GUARANTEE k >= 2
FROM t/**/ANONYMIZE
FROM t\u00a0ANONYMIZE
FROM t\u200bANONYMIZE
FROM t\u3000ANONYMIZE (zip)
FROM t -- x\rANONYMIZE
FROM main.t ANONYMIZE (zip)
FROM "t"ANONYMIZE
FROM `t` ANONYMIZE
FROM 't.csv' ANONYMIZE
FROM t, t ANONYMIZE
FROM t JOIN t ANONYMIZE USING (zip)
FROM type ANONYMIZE (zip)
FROM view ANONYMIZE
FROM over ANONYMIZE
FROM (FROM t) ANONYMIZE
FROM (VALUES (1)) ANONYMIZE (x)
FROM range(3) ANONYMIZE
FROM t PIVOT (sum(age) FOR zip IN ('a')) ANONYMIZE
SELECT zip ANONYMIZE FROM t
SELECT * ANONYMIZE FROM t
SELECT t.* ANONYMIZE FROM t
SELECT count(*) ANONYMIZE FROM t
SELECT age * exclude ANONYMIZE FROM t
SELECT t.select ANONYMIZE FROM t
SELECT t.as ANONYMIZE FROM t
FROM t /* *//* */ ANONYMIZE
SELECT 'a'ANONYMIZE
SELECT 1ANONYMIZE
SELECT $$a$$ ANONYMIZE
SELECT [1] ANONYMIZE
SELECT {'a': 1} ANONYMIZE
SELECT NULL ANONYMIZE
SELECT true ANONYMIZE
SELECT 5! ANONYMIZE
SELECT ? ANONYMIZE
SELECT $1 ANONYMIZE
SELECT CASE WHEN true THEN 1 END ANONYMIZE
SELECT zip ISNULL ANONYMIZE FROM t
SELECT zip::glob ANONYMIZE FROM t
SELECT DATE '2020-01-01' ANONYMIZE
SELECT (SELECT zip FROM t ANONYMIZE)
CREATE VIEW v AS FROM t ANONYMIZE
CREATE TABLE v AS SELECT 1 ANONYMIZE
EXPLAIN FROM t ANONYMIZE
PREPARE p AS FROM t ANONYMIZE
COPY (FROM t ANONYMIZE) TO 'x.csv'
INSERT INTO t FROM t ANONYMIZE
UPDATE t ANONYMIZE SET age = 1
ALTER TABLE t ALTER zip SET DEFAULT (SELECT zip FROM t ANONYMIZE)
SELECT 1; FROM t ANONYMIZE
FROM anonymize('t', '{}') ANONYMIZE
"""

# Not splitlines: a carriage return and a blank of another script are part of two of them.
ALIASES = _ALIASES.strip().split("\n")


@pytest.mark.parametrize("statement", UNTOUCHED)
def test_a_name_passes_untouched(statement):
    assert rewrite(statement, refuse_release) is statement


@pytest.mark.parametrize("statement", ALIASES)
def test_an_implicit_alias_is_refused(statement):
    with pytest.raises(ClauseError, match="would be read as an alias and release raw rows") as caught:
        rewrite(statement, refuse_release)
    assert caught.value.text.upper() == "ANONYMIZE"


@pytest.mark.parametrize("statement", ["SELECT 1", "", "SELECT 'open", "-- only a comment", ";;", ".mode box", "SELECT )"])
def test_a_text_without_the_word_is_not_even_read(statement):
    assert rewrite(statement, refuse_release) is statement


@pytest.mark.parametrize(
    "statement",
    [
        "FROM t /*/* nested */*/ ANONYMIZE",
        "FROM t /* /* */*/ ANONYMIZE '*/ */'",
        "FROM t /*/* */ -- */ ANONYMIZE",
        "FROM t {# ANONYMIZE #}",
        "SELECT 1e$$ FROM t ANONYMIZE --$$",
        "SELECT E'a'\n'b\\'' FROM t ANONYMIZE --'",
        "SELECT $1_0$$ FROM t ANONYMIZE --$$",
        "SELECT $1e5$$ ' $$ FROM t ANONYMIZE --'",
    ],
)
def test_a_comment_or_quote_that_could_hide_the_word_is_refused(statement):
    with pytest.raises(ClauseError, match="cannot be parsed"):
        rewrite(statement, refuse_release)


def test_the_reserved_words_are_those_of_duckdb():
    with duckdb.connect() as con:
        keywords = dict(con.execute("SELECT upper(keyword_name), keyword_category FROM duckdb_keywords()").fetchall())
    assert {word for word, category in keywords.items() if category == "reserved"} == RESERVED
    # Words of this category name functions and types, never tables or columns.
    assert {keywords[word] for word in BEFORE_NAMES - RESERVED} == {"type_function"}


def test_the_value_of_an_open_quote_is_not_quoted_in_the_error():
    with pytest.raises(ClauseError) as caught:
        rewrite("FROM t ANONYMIZE BY zip GUARANTEE k >= 2; SELECT 'secret", refuse_release)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
