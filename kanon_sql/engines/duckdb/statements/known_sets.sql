-- of each set its smallest class, all its rows, and those in classes of fewer than k; sets that were not counted are missing
WITH RECURSIVE "kanon#known" AS MATERIALIZED (
    SELECT size, [${columns}]::INTEGER[] AS codes FROM ${coded}
), "kanon#sets" AS MATERIALIZED (
    -- as many sets at once as make a certain number of rows
    SELECT place, chosen, place // (SELECT system.main.greatest(1, ${most} // system.main.count(*)) FROM "kanon#known") AS batch
    FROM (
        SELECT system.main.unnest(sets) AS chosen, system.main.unnest(system.main.range(system.main.len(sets))) AS place
        FROM (SELECT [${sets}] AS sets)
    )
), "kanon#counted" AS (
    SELECT -1::BIGINT AS batch, NULL::BIGINT AS place, NULL::BIGINT AS least, NULL::BIGINT AS total, NULL::BIGINT AS below
    UNION ALL
    SELECT system.main.any_value(batch), place, system.main.min(n), system.main.sum(n)::BIGINT,
           coalesce(system.main.sum(n) FILTER (n < ${k}), 0)::BIGINT
    FROM (
        SELECT batch, place, ${names}, system.main.sum(size)::BIGINT AS n
        FROM (
            SELECT batch, place, size, ${values}
            FROM "kanon#sets"
            JOIN (SELECT system.main.max(batch) + 1 AS batch FROM "kanon#counted") USING (batch), "kanon#known"
        )
        GROUP BY ALL
    )
    GROUP BY place
)
SELECT place, least, total, below FROM "kanon#counted" WHERE batch >= 0
