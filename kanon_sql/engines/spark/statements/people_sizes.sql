-- Classes by their people. An empty cell is nobody, and the risk of a person is that of the smallest class with a row of theirs.
WITH members AS (
    SELECT struct(${looks}) AS class, `kanon#person` AS person, count(*) AS n FROM ${written} GROUP BY ALL
), classes AS (
    SELECT class AS look, count(person) AS size, sum(n) AS n FROM members GROUP BY class
), people AS (
    SELECT person, min(size) AS size FROM members JOIN classes ON class <=> look WHERE person IS NOT NULL GROUP BY person
)
SELECT k, rows, classes, uniques, people, highest_risk, average_risk
FROM (SELECT min(size) AS k, coalesce(sum(n), 0) AS rows, count(*) AS classes FROM classes)
CROSS JOIN (
    SELECT count(*) AS people, count_if(size = 1) AS uniques, 1 / min(size) AS highest_risk, avg(1 / size) AS average_risk
    FROM people
)
