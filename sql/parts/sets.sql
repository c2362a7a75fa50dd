-- sets(most): each set of at most so many columns.

WITH RECURSIVE "kanon#chosen" AS (
    SELECT [i] AS chosen FROM (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
    UNION ALL
    SELECT system.main.list_concat(chosen, [i])
    FROM "kanon#chosen", (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
    WHERE i > chosen[-1] AND system.main.len(chosen) < <most>
)
FROM "kanon#chosen"
