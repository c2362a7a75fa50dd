, ${counted} AS MATERIALIZED (
    -- how many rows of the population match each piece: they have the same in the columns that it shows
    SELECT class, coalesce("kanon#m".n, 0)::BIGINT AS n
    FROM (
        SELECT "kanon#p".class, hidden, ${own}
        FROM (
            SELECT class, row_type, labels, ${hidden} AS hidden
            FROM "kanon#pieces"
        ) AS "kanon#p"
        LEFT JOIN ${known} AS "kanon#k" ON "kanon#k".number = "kanon#p".row_type
    ) AS "kanon#o"
    LEFT JOIN (
        SELECT hidden, ${theirs}, system.main.sum(n) AS n
        FROM ${coded} AS "kanon#c" CROSS JOIN (
            SELECT DISTINCT ${hidden} AS hidden FROM "kanon#fitted"
        ) AS "kanon#h"
        ${joins}
        GROUP BY ALL
    ) AS "kanon#m" ON ${match}
)
