-- Classes by their people. An empty cell is nobody, and the risk of a person is that of the smallest class with a row of theirs.
-- Slots: see people_figures.py.
WITH "kanon#members" AS MATERIALIZED (
    SELECT system.main.create_sort_key(system.main.row(${values}), 'ASC NULLS FIRST') AS class, ${person} AS person,
           system.main.count(*) AS n
    FROM ${table} AS "kanon#t"
    GROUP BY ALL
), "kanon#classes" AS MATERIALIZED (
    SELECT class, system.main.count(person) AS size, system.main.sum(n)::BIGINT AS n FROM "kanon#members" GROUP BY class
), "kanon#people" AS MATERIALIZED (
    SELECT person, system.main.min(size) AS size
    FROM "kanon#members" JOIN "kanon#classes" USING (class)
    WHERE person IS NOT NULL
    GROUP BY person
)
SELECT *
FROM (
    SELECT system.main.min(size) AS k, system.main.count(*) AS classes, coalesce(system.main.sum(n), 0)::BIGINT AS "rows",
           system.main.avg(size) AS average_class_size, system.main.max(size) AS largest_class
    FROM "kanon#classes"
), (
    SELECT system.main.count(*) AS people, 1::DOUBLE / system.main.min(size) AS prosecutor_risk,
           system.main.avg(1::DOUBLE / size) AS prosecutor_risk_average, 1::DOUBLE / system.main.min(size) AS journalist_risk,
           system.main.avg(1::DOUBLE / size) AS marketer_risk, system.main.count(*) FILTER (size = 1) AS uniques,
           system.main.avg((size = 1)::INTEGER) AS uniques_share, system.main.avg((size < 5)::INTEGER) AS share_above_0_2,
           system.main.avg((size < 20)::INTEGER) AS share_above_0_05
    FROM "kanon#people"
)
