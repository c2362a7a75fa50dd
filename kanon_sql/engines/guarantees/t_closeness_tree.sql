    -- t-closeness in a tree: sum over the edges of length * |rows * (class below) - size * (table below)|; an edge with no row
    -- of the class below it adds length * size * (table below), so that is taken for all edges first
    SELECT class, CASE WHEN known THEN work * ${unit} <= ${t} * scale * rows * size END AS holds,
           work::DOUBLE / system.main.nullif(scale * rows * size, 0) AS badness,
           system.main.format('the worst is at a distance of {:.6f}', badness) AS figure
    FROM (
        WITH "kanon#edges" AS MATERIALIZED (
            WITH RECURSIVE ${links}, "kanon#up" AS (
                SELECT node, above, 1 AS steps FROM "kanon#links"
                UNION ALL
                SELECT low.node, high.above, steps + 1
                FROM "kanon#up" AS low JOIN "kanon#links" AS high ON high.node = low.above
                WHERE steps < ${deepest}
            ), "kanon#ways" AS MATERIALIZED (
                SELECT node, above, steps FROM "kanon#up"
            ), "kanon#heights" AS MATERIALIZED (
                SELECT node, system.main.max(steps) AS height
                FROM (SELECT above AS node, steps FROM "kanon#ways" UNION ALL SELECT node, 0 FROM "kanon#links"
                      UNION ALL SELECT system.main.concat(level * step, '=' || label), 0 FROM "kanon#cells" WHERE level = 0)
                GROUP BY node
            ), "kanon#leaves" AS MATERIALIZED (
                SELECT DISTINCT value, system.main.concat(0, '=' || label) AS node FROM ${tally}
            )
            SELECT value, edge, length, scale
            FROM (
                SELECT value, node AS edge, coalesce(high.height - low.height, 0)::HUGEINT AS length
                FROM (SELECT value, node FROM "kanon#leaves" UNION ALL
                      SELECT value, above FROM "kanon#leaves" JOIN "kanon#ways" USING (node))
                JOIN "kanon#heights" AS low USING (node)
                LEFT JOIN "kanon#links" USING (node)
                LEFT JOIN "kanon#heights" AS high ON high.node = above
                UNION ALL
                -- an inner node that is a value is a leaf below itself
                SELECT value, 'leaf of ' || node, height FROM "kanon#leaves" JOIN "kanon#heights" USING (node) WHERE height > 0
            ),
            -- none if a node has two parents, or a way up does not end
            (SELECT 2 * system.main.max(height) AS scale FROM "kanon#heights"
             WHERE (SELECT system.main.count(*) = system.main.count(DISTINCT node)
                    FROM "kanon#links") HAVING system.main.max(height) < ${deepest})
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
