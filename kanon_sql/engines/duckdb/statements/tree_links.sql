-- nodes are texts: level, then the label; a table (value, parent) has all its nodes on level 0
            "kanon#cells" AS MATERIALIZED (
                SELECT "kanon#row" AS row, label, CASE WHEN name IN ('value', 'parent') THEN 0 ELSE 1 END AS step,
                       CASE name WHEN 'value' THEN 0 WHEN 'parent' THEN 1
                           ELSE TRY_CAST(system.main.substr(name, 6) AS INTEGER) END AS level
                FROM (
                    SELECT "kanon#row", system.main.lower("kanon#name") AS name, "kanon#label" AS label
                    FROM (SELECT system.main.row_number() OVER () AS "kanon#row", CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary"
                          FROM ${tree})
                    UNPIVOT INCLUDE NULLS ("kanon#label" FOR "kanon#name" IN (COLUMNS(* EXCLUDE ("kanon#row"))))
                )
            ), "kanon#links" AS MATERIALIZED (
                SELECT DISTINCT system.main.concat(low.level * low.step, '=' || low.label) AS node,
                       system.main.concat(high.level * high.step, '=' || high.label) AS above, high.label AS label
                FROM "kanon#cells" AS low JOIN "kanon#cells" AS high ON high.row = low.row AND high.level = low.level + 1
                WHERE high.label IS NOT NULL AND (low.step = 1 OR low.label IS DISTINCT FROM high.label)
            )
