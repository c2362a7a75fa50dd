-- name: comments and newlines
SELECT zip -- the ANONYMIZE BY of the comment
FROM patients /* ANONYMIZE (zip) /* nested */ */
-- in front of the clause
ANONYMIZE /* not an alias */ BY zip -- inside
  GUARANTEE k >= 2 -- behind the clause
ORDER BY zip; -- the end
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip -- the ANONYMIZE BY of the comment
FROM patients) AS k2) /* ANONYMIZE (zip) /* nested */ */
-- in front of the clause
 -- behind the clause
ORDER BY zip; -- the end
-- name: texts, names and dollar quotes
SELECT 'ANONYMIZE BY' AS "ANONYMIZE BY", $$ANONYMIZE BY$$ AS a, $q$ FROM t ANONYMIZE $q$ AS b, e'\' ANONYMIZE BY' AS c, zip FROM patients
ANONYMIZE BY "ANONYMIZE BY", zip GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT 'ANONYMIZE BY' AS "ANONYMIZE BY", $$ANONYMIZE BY$$ AS a, $q$ FROM t ANONYMIZE $q$ AS b, e'\' ANONYMIZE BY' AS c, zip FROM patients) AS k2)
-- name: letters beyond ascii
SELECT zip AS "größe 日本", '😀' AS gefühl FROM patients ANONYMIZE BY "größe 日本", gefühl GUARANTEE k >= 2 ORDER BY gefühl
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip AS "größe 日本", '😀' AS gefühl FROM patients) AS k2) ORDER BY gefühl
-- name: quotes within a name
SELECT zip AS "zip ""x""", age AS `age` FROM patients anonymize by "zip ""x""", `age` guarantee K >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip AS "zip ""x""", age AS `age` FROM patients) AS k2)
-- name: blanks only DuckDB knows
SELECT zip FROM patients ANONYMIZE​BY zip GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)
-- name: reserved words as names
SELECT t.order AS limit, t.order AS "select" FROM (SELECT zip AS "order" FROM patients) t ANONYMIZE BY "limit", "select" GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT t.order AS limit, t.order AS "select" FROM (SELECT zip AS "order" FROM patients) t) AS k2)
-- name: the word as an explicit name
SELECT anonymize.anonymize AS anonymize FROM anonymize AS anonymize ANONYMIZE BY anonymize GUARANTEE k >= 2 ORDER BY anonymize
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT anonymize.anonymize AS anonymize FROM anonymize AS anonymize) AS k2) ORDER BY anonymize
-- name: the target of an insert
INSERT INTO anonymize BY NAME SELECT zip AS anonymize FROM patients ANONYMIZE BY anonymize GUARANTEE k >= 2
-- becomes:
INSERT INTO anonymize BY NAME SELECT * FROM (SELECT * FROM (SELECT zip AS anonymize FROM patients) AS k2)
-- name: positional parameters keep their order
PREPARE three AS SELECT ? AS first, zip FROM (FROM patients WHERE age > ? ANONYMIZE BY zip GUARANTEE k >= 2) ANONYMIZE BY zip GUARANTEE k >= 2 LIMIT ?
-- becomes:
PREPARE three AS SELECT * FROM (SELECT * FROM (SELECT ? AS first, zip FROM (SELECT * FROM (SELECT * FROM (FROM patients WHERE age > ?) AS k2))) AS k2) LIMIT ?
-- name: no blank between
SELECT(SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k>=2LIMIT 1)
-- becomes:
SELECT(SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)LIMIT 1)
