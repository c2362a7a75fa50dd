-- every label above a value; labels of one level share no value
        SELECT texts.code, up.name AS label, up.steps AS layer
        FROM ${texts} AS texts JOIN (
            FROM (
                WITH RECURSIVE ${links}, "kanon#up" AS (
                    SELECT node, above, label, 1 AS steps FROM "kanon#links" WHERE system.main.starts_with(node, '0')
                    UNION ALL
                    SELECT low.node, high.above, high.label, steps + 1
                    FROM "kanon#up" AS low JOIN "kanon#links" AS high ON high.node = low.above
                    WHERE steps < ${deepest}
                )
                SELECT node, label AS name, steps FROM "kanon#up"
            )
        ) AS up ON up.node = system.main.concat(0, '=' || texts.value)
        WHERE up.name IN (SELECT label FROM "kanon#shown")
