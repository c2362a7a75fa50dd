SELECT count(*) AS wrong
    FROM "kanon#shown" AS shown
    WHERE value IS DISTINCT FROM label AND NOT EXISTS (
        FROM (
            -- nodes are texts: level, then the label; a table (value, parent) has all its nodes on level 0
            WITH RECURSIVE "kanon#cells" AS MATERIALIZED (
                SELECT "kanon#row" AS row, label, CASE WHEN name IN ('value', 'parent') THEN 0 ELSE 1 END AS step,
                       CASE name WHEN 'value' THEN 0 WHEN 'parent' THEN 1 ELSE TRY_CAST(substr(name, 6) AS INTEGER) END AS level
                FROM (
                    SELECT "kanon#row", lower("kanon#name") AS name, "kanon#label" AS label
                    FROM (SELECT row_number() OVER () AS "kanon#row", CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" FROM ${tree})
                    UNPIVOT INCLUDE NULLS ("kanon#label" FOR "kanon#name" IN (COLUMNS(* EXCLUDE ("kanon#row"))))
                )
            ), "kanon#links" AS MATERIALIZED (
                SELECT DISTINCT concat(low.level * low.step, '=' || low.label) AS node,
                       concat(high.level * high.step, '=' || high.label) AS above, high.label AS label
                FROM "kanon#cells" AS low JOIN "kanon#cells" AS high ON high.row = low.row AND high.level = low.level + 1
                WHERE high.label IS NOT NULL AND (low.step = 1 OR low.label IS DISTINCT FROM high.label)
            ), "kanon#up" AS (
                SELECT node, above, label, 1 AS steps FROM "kanon#links" WHERE starts_with(node, '0')
                UNION ALL
                SELECT low.node, high.above, high.label, steps + 1
                FROM "kanon#up" AS low JOIN "kanon#links" AS high ON high.node = low.above
                WHERE steps < ${deepest}
            )
            SELECT node, label AS name FROM "kanon#up"
        ) AS up
        WHERE up.node = concat(0, '=' || shown.value) AND up.name = shown.label
    )
