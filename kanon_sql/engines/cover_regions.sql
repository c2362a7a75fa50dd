-- each label is in one region, and whoever starts at the first label of a region comes to all others without leaving it
    SELECT (SELECT count(*) - count(DISTINCT value) FROM "kanon#shown") + (
        WITH RECURSIVE "kanon#next" AS MATERIALIZED (
            SELECT CAST(a AS VARCHAR) AS one, CAST(b AS VARCHAR) AS other FROM ${edges}
            UNION SELECT CAST(b AS VARCHAR), CAST(a AS VARCHAR) FROM ${edges}
        ), "kanon#inside" AS MATERIALIZED (
            SELECT one.value AS one, other.value AS other, one.label AS label
            FROM "kanon#next" JOIN "kanon#shown" AS one ON one.value = "kanon#next".one
            JOIN "kanon#shown" AS other ON other.value = "kanon#next".other AND other.label = one.label
        ), "kanon#reached" AS (
            SELECT min(value) AS value, label FROM "kanon#shown" GROUP BY label
            UNION
            SELECT inside.other, inside.label FROM "kanon#reached" AS reached JOIN "kanon#inside" AS inside ON inside.one = reached.value
        )
        SELECT (SELECT count(*) FROM "kanon#shown") - count(*) FROM "kanon#reached"
    ) AS wrong
