-- name: top level, order and limit stay behind
SELECT zip, age FROM patients WHERE age > 0 ANONYMIZE BY zip, age GUARANTEE k >= 2 ORDER BY zip LIMIT 2;
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, age FROM patients WHERE age > 0) AS k2) ORDER BY zip LIMIT 2;
-- name: behind group by, having and qualify
SELECT zip, count(*) AS n, row_number() OVER w AS nr
FROM patients GROUP BY zip HAVING count(*) > 0 WINDOW w AS (ORDER BY zip) QUALIFY nr < 9
ANONYMIZE BY zip GUARANTEE k >= 2 PER ROW
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, count(*) AS n, row_number() OVER w AS nr
FROM patients GROUP BY zip HAVING count(*) > 0 WINDOW w AS (ORDER BY zip) QUALIFY nr < 9) AS k2)
-- name: behind group by all
SELECT zip, count(*) FROM patients GROUP BY ALL ANONYMIZE BY zip GUARANTEE k >= 2 PER ROW
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, count(*) FROM patients GROUP BY ALL) AS k2)
-- name: behind a sample
SELECT zip FROM patients USING SAMPLE 2 ROWS ANONYMIZE BY zip GUARANTEE k >= 2 USING greedy (seed = 1)
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip FROM patients USING SAMPLE 2 ROWS) AS k2)
-- name: behind a table sample in percent
SELECT zip FROM patients TABLESAMPLE 50% ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip FROM patients TABLESAMPLE 50%) AS k2)
-- name: from first
FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ORDER BY age
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2) ORDER BY age
-- name: from first with select
FROM patients SELECT zip ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients SELECT zip) AS k2)
-- name: table
TABLE patients ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (TABLE patients) AS k2)
-- name: values
VALUES ('a', 1), ('b', 2) ANONYMIZE BY col0 GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (VALUES ('a', 1), ('b', 2)) AS k2)
-- name: query in parentheses with a limit of its own
(SELECT zip FROM patients ORDER BY zip LIMIT 2) ANONYMIZE BY zip GUARANTEE k >= 2 LIMIT 1
-- becomes:
SELECT * FROM (SELECT * FROM ((SELECT zip FROM patients ORDER BY zip LIMIT 2)) AS k2) LIMIT 1
-- name: pivot
PIVOT patients ON zip USING sum(age) GROUP BY disease ANONYMIZE BY disease GUARANTEE k >= 2 PER ROW
-- becomes:
SELECT * FROM (SELECT * FROM (PIVOT patients ON zip USING sum(age) GROUP BY disease) AS k2)
-- name: with stays in front
WITH young AS (SELECT * FROM patients WHERE age < 50), old AS MATERIALIZED (FROM patients)
SELECT zip FROM young JOIN old USING (zip) ANONYMIZE BY zip GUARANTEE k >= 2 ORDER BY zip
-- becomes:
WITH young AS (SELECT * FROM patients WHERE age < 50), old AS MATERIALIZED (FROM patients)
SELECT * FROM (SELECT * FROM (SELECT zip FROM young JOIN old USING (zip)) AS k2) ORDER BY zip
-- name: with recursive
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) FROM n ANONYMIZE BY i GUARANTEE k >= 2
-- becomes:
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT * FROM (SELECT * FROM (FROM n) AS k2)
-- name: in a common table expression
WITH safe(z) AS NOT MATERIALIZED (SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) SELECT count(z) FROM safe
-- becomes:
WITH safe(z) AS NOT MATERIALIZED (SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)) SELECT count(z) FROM safe
-- name: subquery in from
SELECT s.zip FROM (SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) AS s JOIN patients USING (zip)
-- becomes:
SELECT s.zip FROM (SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)) AS s JOIN patients USING (zip)
-- name: subquery in an expression
SELECT zip, (SELECT count(*) FROM patients ANONYMIZE BY n GUARANTEE k >= 2 PER ROW) FROM patients WHERE zip IN (SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2)
-- becomes:
SELECT zip, (SELECT * FROM (SELECT * FROM (SELECT count(*) FROM patients) AS k2)) FROM patients WHERE zip IN (SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2))
-- name: array and exists
SELECT ARRAY(SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2), EXISTS (FROM patients ANONYMIZE BY zip GUARANTEE k >= 2)
-- becomes:
SELECT ARRAY(SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)), EXISTS (SELECT * FROM (SELECT * FROM (FROM patients) AS k2))
-- name: create table
CREATE OR REPLACE TEMP TABLE released AS SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
CREATE OR REPLACE TEMP TABLE released AS SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)
-- name: create table with no data
CREATE TABLE IF NOT EXISTS released(z) AS FROM patients SELECT zip ANONYMIZE BY zip GUARANTEE k >= 2 WITH NO DATA
-- becomes:
CREATE TABLE IF NOT EXISTS released(z) AS SELECT * FROM (SELECT * FROM (FROM patients SELECT zip) AS k2) WITH NO DATA
-- name: create table in parentheses
CREATE TABLE released AS (FROM patients ANONYMIZE BY zip GUARANTEE k >= 2)
-- becomes:
CREATE TABLE released AS (SELECT * FROM (SELECT * FROM (FROM patients) AS k2))
-- name: create view over a with
CREATE VIEW released (z) AS WITH p AS (FROM patients) SELECT zip FROM p ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
CREATE VIEW released (z) AS WITH p AS (FROM patients) SELECT * FROM (SELECT * FROM (SELECT zip FROM p) AS k2)
-- name: insert
INSERT INTO target FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
INSERT INTO target SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: insert with columns
INSERT INTO main.target (zip, age) SELECT zip, age FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 RETURNING zip
-- becomes:
INSERT INTO main.target (zip, age) SELECT * FROM (SELECT * FROM (SELECT zip, age FROM patients) AS k2) RETURNING zip
-- name: insert by name
INSERT INTO target BY NAME SELECT age, zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
INSERT INTO target BY NAME SELECT * FROM (SELECT * FROM (SELECT age, zip FROM patients) AS k2)
-- name: insert or replace
INSERT OR REPLACE INTO keyed AS t FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
INSERT OR REPLACE INTO keyed AS t SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: insert on conflict
INSERT INTO keyed FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ON CONFLICT DO NOTHING
-- becomes:
INSERT INTO keyed SELECT * FROM (SELECT * FROM (FROM patients) AS k2) ON CONFLICT DO NOTHING
-- name: insert behind a with
WITH p AS (FROM patients) INSERT INTO target FROM p ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
WITH p AS (FROM patients) INSERT INTO target SELECT * FROM (SELECT * FROM (FROM p) AS k2)
-- name: copy
COPY (SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ORDER BY zip) TO '/dev/null' (FORMAT csv)
-- becomes:
COPY (SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2) ORDER BY zip) TO '/dev/null' (FORMAT csv)
-- name: explain
EXPLAIN SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
EXPLAIN SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)
-- name: explain analyze
EXPLAIN ANALYZE FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
EXPLAIN ANALYZE SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: explain with options
EXPLAIN (FORMAT json) CREATE TABLE released AS FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
EXPLAIN (FORMAT json) CREATE TABLE released AS SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: explain in parentheses
EXPLAIN (FROM patients ANONYMIZE BY zip GUARANTEE k >= 2)
-- becomes:
EXPLAIN (SELECT * FROM (SELECT * FROM (FROM patients) AS k2))
-- name: describe and summarize
DESCRIBE FROM patients ANONYMIZE BY zip GUARANTEE k >= 2; SUMMARIZE FROM patients ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
DESCRIBE SELECT * FROM (SELECT * FROM (FROM patients) AS k2); SUMMARIZE SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: prepare
PREPARE adults AS SELECT zip FROM patients WHERE age > $1 AND zip <> $2 ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
PREPARE adults AS SELECT * FROM (SELECT * FROM (SELECT zip FROM patients WHERE age > $1 AND zip <> $2) AS k2)
-- name: prepare an insert
PREPARE filling AS INSERT INTO target FROM patients WHERE age > ? ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
PREPARE filling AS INSERT INTO target SELECT * FROM (SELECT * FROM (FROM patients WHERE age > ?) AS k2)
-- name: table macro
CREATE OR REPLACE MACRO older(than) AS TABLE SELECT zip FROM patients WHERE age > than ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
CREATE OR REPLACE MACRO older(than) AS TABLE SELECT * FROM (SELECT * FROM (SELECT zip FROM patients WHERE age > than) AS k2)
-- name: scalar macro
CREATE FUNCTION counted(than) AS (SELECT count(*) FROM (FROM patients WHERE age > than ANONYMIZE BY zip GUARANTEE k >= 2))
-- becomes:
CREATE FUNCTION counted(than) AS (SELECT count(*) FROM (SELECT * FROM (SELECT * FROM (FROM patients WHERE age > than) AS k2)))
-- name: set variable
SET VARIABLE zips = (SELECT list(zip) FROM (FROM patients ANONYMIZE BY zip GUARANTEE k >= 2))
-- becomes:
SET VARIABLE zips = (SELECT list(zip) FROM (SELECT * FROM (SELECT * FROM (FROM patients) AS k2)))
