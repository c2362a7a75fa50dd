-- Whom a row describes, by the rows of sampled_rows.sql. Slots: see unit.py.
WITH ${sampled}
SELECT system.main.kanon_unit(
    ${unit}, ${surface}, ${columns}, (SELECT "kanon#f" FROM "kanon#first" AS "kanon#f"), system.main.list("kanon#h"),
    (SELECT system.main.list(look) FROM (SELECT [${texts}] AS look FROM ${source} AS "kanon#s" LIMIT ${looks}))) AS told
FROM "kanon#sampled" AS "kanon#h"
