-- Whom a row describes. Cells are hashes; of a large table, rows are drawn, and a column of many values brings all rows of some
-- of them. Slots: see unit.py.
WITH "kanon#size" AS MATERIALIZED (
    SELECT rows, system.main.greatest(0, system.main.floor(system.main.log2(system.main.greatest(rows, 1) / ${drawn})))::BIGINT AS shift
    FROM (SELECT system.main.count(*) AS rows FROM ${source} AS "kanon#s")
), "kanon#first" AS MATERIALIZED (
    SELECT rows, (CASE WHEN rows > ${whole} THEN (1 << shift) - 1 ELSE 0 END)::UBIGINT AS mask,
           (CASE WHEN rows > ${whole} THEN (1 << shift + ${fewer}) - 1 ELSE 0 END)::UBIGINT AS finer, ${varied}
    FROM (SELECT ${distinct} FROM (SELECT ${names} FROM ${wide} AS "kanon#s" LIMIT ${first})), "kanon#size"
)
SELECT ${answer}
FROM (
    SELECT ${cells}, drawn
    FROM (
        SELECT *, system.main."&"(system.main.hash("kanon#row"), mask) = 0 AS drawn
        FROM (SELECT ${names}, system.main.row_number() OVER () AS "kanon#row" FROM ${wide} AS "kanon#s"), "kanon#first"
    )
    WHERE ${needed} AND (drawn${hits})
) AS "kanon#h"
