-- each label is in one region, and whoever starts at the first label of a region comes to all others without leaving it
    SELECT (
        SELECT system.main.count(*) - system.main.count(DISTINCT value) + system.main.count(*)
            FILTER (NOT system.main.regexp_full_match(label, 'region [0-9]+')) FROM "kanon#shown"
    ) + (
        -- a table without the columns a and b is refused where it is read, with a clearer word than a binder has
        WITH RECURSIVE "kanon#cells" AS MATERIALIZED (
            SELECT "kanon#row" AS row, system.main.lower("kanon#name") AS name, "kanon#label" AS label
            FROM (SELECT system.main.row_number() OVER () AS "kanon#row", CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary"
                  FROM ${edges})
            UNPIVOT ("kanon#label" FOR "kanon#name" IN (COLUMNS(* EXCLUDE ("kanon#row"))))
        ), "kanon#next" AS MATERIALIZED (
            SELECT one.label AS one, other.label AS other
            FROM "kanon#cells" AS one JOIN "kanon#cells" AS other ON one.row = other.row AND one.name <> other.name
            WHERE one.name IN ('a', 'b') AND other.name IN ('a', 'b')
        ), "kanon#inside" AS MATERIALIZED (
            SELECT one.value AS one, other.value AS other, one.label AS label
            FROM "kanon#next" JOIN "kanon#shown" AS one ON one.value = "kanon#next".one
            JOIN "kanon#shown" AS other ON other.value = "kanon#next".other AND other.label = one.label
        ), "kanon#reached" AS (
            SELECT system.main.min(value) AS value, label FROM "kanon#shown" GROUP BY label
            UNION
            SELECT inside.other, inside.label
            FROM "kanon#reached" AS reached JOIN "kanon#inside" AS inside ON inside.one = reached.value
        )
        SELECT (SELECT system.main.count(*) FROM "kanon#shown") - system.main.count(*) FROM "kanon#reached"
    ) AS wrong
