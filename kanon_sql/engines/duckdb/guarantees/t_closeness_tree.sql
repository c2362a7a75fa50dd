    -- t-closeness in a tree: sum over the edges of length * |rows * (class below) - size * (table below)|; an edge with no row
    -- of the class below it adds length * size * (table below), so that is taken for all edges first
    SELECT class, CASE WHEN known THEN work * ${unit} <= ${t} * scale * rows * size END AS holds,
           work::DOUBLE / system.main.nullif(scale * rows * size, 0) AS badness,
           system.main.format('the worst is at a distance of {:.6f}', badness) AS figure
    FROM (
        WITH "kanon#edges" AS MATERIALIZED (
${edges}
        ), "kanon#below" AS MATERIALIZED (
            SELECT edge, length, system.main.sum(total) AS total
            FROM (SELECT value, system.main.sum(n) AS total FROM ${tally} GROUP BY value) JOIN "kanon#edges" USING (value)
            GROUP BY edge, length
        ), "kanon#whole" AS (
            -- every value has one way up to the root, as long as the tree is high
            SELECT system.main.sum(total) AS rows, system.main.any_value(scale) AS scale,
                   system.main.bool_and(coalesce(2 * way = scale, false)) AS known,
                   (SELECT system.main.sum(length * total) FROM "kanon#below") AS base
            FROM (SELECT value, system.main.sum(n) AS total FROM ${tally} GROUP BY value)
            LEFT JOIN (SELECT value, system.main.sum(length) AS way, system.main.any_value(scale) AS scale FROM "kanon#edges"
                       GROUP BY value)
                USING (value)
        )
        SELECT class, system.main.any_value(rows) AS rows, system.main.any_value(scale) AS scale, system.main.any_value(known)
            AS known, size,
               size * system.main.any_value(base)
                   + system.main.sum(length * (system.main.abs(rows * here - size * total) - size * total)) AS work
        FROM (
            SELECT class, size, edge, system.main.sum(n) AS here
            FROM (SELECT class, value, n, system.main.sum(n) OVER (PARTITION BY class) AS size FROM ${tally})
            JOIN "kanon#edges" USING (value)
            GROUP BY class, size, edge
        )
        JOIN "kanon#below" USING (edge)
        CROSS JOIN "kanon#whole"
        GROUP BY class, size
    )
