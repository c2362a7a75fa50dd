-- name: rows
SELECT zip, count(*) AS n FROM patients GROUP BY zip PROTECT n >= 5
-- becomes:
SELECT * FROM (SELECT 'n >= 5' AS asked FROM patients)
-- name: each row is a person
SELECT zip, count(*) AS n FROM patients GROUP BY zip PROTECT n >= 5 per Row ROWS ABSENT ORDER BY 1
-- becomes:
SELECT * FROM (SELECT 'n >= 5 PER ROW' AS asked FROM patients) ORDER BY 1
-- name: people by a column
SELECT zip, count(*) AS people FROM patients WHERE age > 1 GROUP BY zip PROTECT people >= 5 PER disease
-- becomes:
SELECT * FROM (SELECT 'n >= 5 PER disease' AS asked FROM patients WHERE age > 1)
-- name: people by count distinct
SELECT zip, count(DISTINCT disease) AS n FROM patients GROUP BY zip PROTECT n > 4 PER Disease
-- becomes:
SELECT * FROM (SELECT 'n >= 5 PER disease' AS asked FROM patients)
-- name: a column called row
SELECT zip, count(*) AS n FROM (SELECT *, disease AS "row" FROM patients) GROUP BY zip PROTECT n >= 5 PER "row"
-- becomes:
SELECT * FROM (SELECT 'n >= 5 PER "row"' AS asked FROM (SELECT *, disease AS "row" FROM patients))
-- name: groups that are people because the clause says so
SELECT zip, count(*) AS n FROM (SELECT DISTINCT zip, age FROM patients) GROUP BY zip PROTECT count(*) >= 5 PER ROW
-- becomes:
SELECT * FROM (SELECT 'n >= 5 PER ROW' AS asked FROM (SELECT DISTINCT zip, age FROM patients))
-- name: groups of one person each
WITH p AS (SELECT disease, max(zip) AS zip FROM patients GROUP BY disease) SELECT zip, count(*) AS n FROM p GROUP BY zip PROTECT n >= 5 PER disease
-- becomes:
WITH p AS (SELECT disease, max(zip) AS zip FROM patients GROUP BY disease) SELECT * FROM (SELECT 'n >= 5 PER disease' AS asked FROM p)
-- name: people joined with groups
SELECT p.zip, count(*) AS n FROM patients AS p JOIN (SELECT DISTINCT zip FROM target) AS t USING (zip) GROUP BY p.zip PROTECT n >= 5
-- becomes:
SELECT * FROM (SELECT 'n >= 5' AS asked FROM patients AS p JOIN (SELECT DISTINCT zip FROM target) AS t USING (zip))
