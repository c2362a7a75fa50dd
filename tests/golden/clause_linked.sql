-- name: linked columns
FROM patients ANONYMIZE BY zip, age, disease LINKED (zip, age) GUARANTEE k >= 2 ORDER BY zip
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2) ORDER BY zip
-- name: two groups, a weight in front
SELECT zip, age, disease, age % 10 AS digit FROM patients
ANONYMIZE BY zip, digit, disease, age WEIGHT 2
LINKED (zip, disease) LINKED (digit, age)
GUARANTEE k >= 3 USING greedy (seed = 1)
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, age, disease, age % 10 AS digit FROM patients) AS k3)
-- name: linked columns of grouping sets
FROM patients ANONYMIZE BY GROUPING SETS ((zip, age, disease), (zip), ()) LINKED (age, disease) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: linked columns of a rollup and a cube
FROM patients ANONYMIZE BY ROLLUP (zip, age), CUBE (disease) LINKED (zip, age, disease) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: a column named linked
SELECT zip AS linked, age FROM patients ANONYMIZE BY linked, age LINKED (linked, age) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip AS linked, age FROM patients) AS k2)
-- name: alone in front of its own link
SELECT zip AS linked, age FROM patients ANONYMIZE BY age, linked LINKED ("linked", AGE) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip AS linked, age FROM patients) AS k2)
