-- joint_counts(): a CTE behind those of coded_rows: how many rows of each table have which bins together, for each set of columns.

"kanon#together" AS MATERIALIZED (
    SELECT places, cell, system.main.sum(original)::BIGINT AS original, system.main.sum(released)::DOUBLE AS released
    FROM (
        SELECT {11} AS places, {12} AS cell, 0 AS original, n AS released FROM ({13})
        UNION ALL
        SELECT {11}, {12}, n, 0 FROM ({14})
    ) AS both_tables
    GROUP BY places, cell
)
