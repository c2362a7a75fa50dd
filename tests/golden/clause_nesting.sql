-- name: union is anonymized as a whole
SELECT zip FROM patients UNION ALL SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ORDER BY zip
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip FROM patients UNION ALL SELECT zip FROM patients) AS k2) ORDER BY zip
-- name: three branches with names
FROM patients SELECT zip UNION ALL BY NAME FROM patients SELECT age EXCEPT SELECT zip, age FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 PER ROW
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients SELECT zip UNION ALL BY NAME FROM patients SELECT age EXCEPT SELECT zip, age FROM patients) AS k2)
-- name: one branch in parentheses
(SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) UNION SELECT 'z'
-- becomes:
(SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)) UNION SELECT 'z'
-- name: the last branch in parentheses
SELECT 'z' UNION (SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) ORDER BY ALL
-- becomes:
SELECT 'z' UNION (SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)) ORDER BY ALL
-- name: branches and the whole
((SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) INTERSECT (SELECT 'a') ANONYMIZE BY zip GUARANTEE k >= 3 PER ROW)
-- becomes:
(SELECT * FROM (SELECT * FROM ((SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)) INTERSECT (SELECT 'a')) AS k3))
-- name: union in a view
CREATE VIEW both_of_them AS SELECT zip FROM patients UNION SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 PER ROW
-- becomes:
CREATE VIEW both_of_them AS SELECT * FROM (SELECT * FROM (SELECT zip FROM patients UNION SELECT zip FROM patients) AS k2)
-- name: nested three deep
SELECT zip FROM (SELECT * FROM (FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) q ANONYMIZE BY age GUARANTEE k >= 3) r ANONYMIZE BY zip GUARANTEE k >= 4
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM (FROM patients) AS k2)) q) AS k3)) r) AS k4)
-- name: side by side
SELECT * FROM (FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) a, (FROM patients ANONYMIZE BY age GUARANTEE k >= 3) b
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT * FROM (FROM patients) AS k2)) a, (SELECT * FROM (SELECT * FROM (FROM patients) AS k3)) b
-- name: a common table expression and the query over it
WITH a AS (SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2) SELECT * FROM a ANONYMIZE BY zip GUARANTEE k >= 3
-- becomes:
WITH a AS (SELECT * FROM (SELECT * FROM (SELECT zip FROM patients) AS k2)) SELECT * FROM (SELECT * FROM (SELECT * FROM a) AS k3)
-- name: several statements
CREATE TEMP TABLE one AS FROM patients ANONYMIZE BY zip GUARANTEE k >= 2;
SELECT 'between';  -- ANONYMIZE BY nothing

FROM one ANONYMIZE BY age GUARANTEE k >= 3;
-- becomes:
CREATE TEMP TABLE one AS SELECT * FROM (SELECT * FROM (FROM patients) AS k2);
SELECT 'between';  -- ANONYMIZE BY nothing

SELECT * FROM (SELECT * FROM (FROM one) AS k3);
