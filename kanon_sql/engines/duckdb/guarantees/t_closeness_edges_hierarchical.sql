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
