-- name: per row
SELECT zip, count(*) AS n FROM patients GROUP BY zip ANONYMIZE BY zip KEEP n GUARANTEE k >= 2 per Row
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, count(*) AS n FROM patients GROUP BY zip) AS k2)
-- name: per row where rows are people
FROM patients ANONYMIZE BY zip GUARANTEE 2 <= k PER ROW AND l(disease) >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2_l)
-- name: a column called row
SELECT *, zip AS "row" FROM patients ANONYMIZE BY age GUARANTEE k >= 2 PER "row"
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT *, zip AS "row" FROM patients) AS k2_people)
-- name: of several k one counts rows
SELECT DISTINCT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 PER ROW AND k >= 3
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT DISTINCT zip FROM patients) AS k3)
-- name: people and rows
SELECT DISTINCT lower(zip) AS who, age FROM patients ANONYMIZE BY age GUARANTEE k >= 1 PER ROW AND k >= 2 PER who
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT DISTINCT lower(zip) AS who, age FROM patients) AS k2_people)
-- name: rows of one person each
SELECT zip AS who, max(age) AS age FROM patients GROUP BY zip ANONYMIZE BY age GUARANTEE k >= 2 PER who
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip AS who, max(age) AS age FROM patients GROUP BY zip) AS k2_people)
-- name: an inner release is grouped
SELECT zip, count(*) AS n FROM (FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) GROUP BY zip
-- becomes:
SELECT zip, count(*) AS n FROM (SELECT * FROM (SELECT * FROM (FROM patients) AS k2)) GROUP BY zip
-- name: union all
SELECT zip, age FROM patients UNION ALL SELECT zip, age FROM target ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, age FROM patients UNION ALL SELECT zip, age FROM target) AS k2)
-- name: people joined with groups
WITH sizes AS (SELECT zip, count(*) AS n FROM patients GROUP BY zip) SELECT zip, age, n FROM patients JOIN sizes USING (zip) ANONYMIZE BY zip GUARANTEE k >= 2
-- becomes:
WITH sizes AS (SELECT zip, count(*) AS n FROM patients GROUP BY zip) SELECT * FROM (SELECT * FROM (SELECT zip, age, n FROM patients JOIN sizes USING (zip)) AS k2)
