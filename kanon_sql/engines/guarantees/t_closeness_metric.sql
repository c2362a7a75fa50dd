    -- t-closeness under a table of distances: kanon_transport tells which rows to move where, and nothing of it is believed:
    -- the moves have to turn the class into the table, size for size, and their cost has to be within t
    SELECT class, CASE WHEN fair AND moved THEN work * ${unit} <= ${t} * scale * rows * size END AS holds,
           work::DOUBLE / system.main.nullif(scale * rows * size, 0) AS badness,
           system.main.format('the worst is at a distance of {:.6f}', badness) AS figure
    FROM (
        WITH "kanon#domain" AS MATERIALIZED (
            SELECT value, system.main.concat('=' || label) AS name, system.main.sum(n) AS total FROM ${tally} GROUP BY value,
                   label
        ), "kanon#written" AS MATERIALIZED (
            ${distances}
        ), "kanon#largest" AS MATERIALIZED (
            -- equal numbers of the table are equal DOUBLEs, and others of a common scale below 2^31 are not
            SELECT system.main.arg_max(system.main.struct_pack(above := above, below := below),
                                       above::DOUBLE / below) AS largest
            FROM "kanon#written"
        ), "kanon#distances" AS MATERIALIZED (
            -- divided by the largest, crosswise, so that no product is larger than the quotient needs
            SELECT a, b, CASE WHEN above = 0 THEN 0
                       ELSE (above // system.main.gcd(above, largest.above))
                           * (largest.below // system.main.gcd(below, largest.below)) END AS above,
                   CASE WHEN above = 0 THEN 1
                       ELSE (below // system.main.gcd(below, largest.below))
                           * (largest.above // system.main.gcd(above, largest.above)) END AS below
            FROM "kanon#written", "kanon#largest"
        ), "kanon#pairs" AS MATERIALIZED (
            -- a pair without a distance, or with two, has none
            SELECT source, target, CASE WHEN known THEN above END AS above, CASE WHEN known THEN below END AS below
            FROM (
                SELECT source, target, system.main.min(above) AS above, system.main.min(below) AS below,
                       system.main.count(*) = system.main.count(above) AND system.main.min(above) = system.main.max(above)
                       AND system.main.min(below) = system.main.max(below)
                       AND system.main.greatest(system.main.max(above), system.main.max(below)) < 2147483648 AS known
                FROM (
                    SELECT one.value AS source, other.value AS target, CASE WHEN one.name = other.name THEN 0 ELSE above END
                               AS above, CASE WHEN one.name = other.name THEN 1 ELSE below END AS below
                    FROM "kanon#domain" AS one
                    JOIN "kanon#domain" AS other ON one.value <> other.value
                    LEFT JOIN (FROM "kanon#distances" UNION ALL SELECT b, a, above, below FROM "kanon#distances") AS way
                        ON way.a = one.name AND way.b = other.name
                )
                GROUP BY source, target
            )
        ), "kanon#unit" AS MATERIALIZED (
            SELECT system.main.list_reduce(system.main.list(below), lambda one, other:
                       CASE WHEN one < 2147483648 THEN system.main.lcm(one, other) ELSE one END) AS unit
            FROM (SELECT DISTINCT below FROM "kanon#pairs" WHERE below IS NOT NULL UNION ALL SELECT 1::HUGEINT)
        ), "kanon#costs" AS MATERIALIZED (
            SELECT source, target, CASE WHEN unit < 2147483648 THEN (above * (unit // below))::BIGINT END AS cost
            FROM "kanon#pairs", "kanon#unit"
        ), "kanon#moves" AS MATERIALIZED (
            SELECT system.main.unnest(system.main.kanon_transport((SELECT system.main.list({'class': class, 'value': value,
                'n': n}) FROM ${tally}),
                                          (SELECT system.main.list({'source': source, 'target': target, 'cost': cost})
                                           FROM "kanon#costs")),
                          max_depth := 2)
        ), "kanon#classes" AS MATERIALIZED (
            SELECT class, system.main.sum(n) AS size FROM ${tally} GROUP BY class
        ), "kanon#whole" AS MATERIALIZED (
            SELECT system.main.sum(total) AS rows, system.main.count(*) AS values,
                   system.main.any_value(unit) AS scale
            FROM "kanon#domain", "kanon#unit"
        ), "kanon#moved" AS (
            SELECT class, system.main.count(*) = system.main.any_value(values)
                AND system.main.bool_and(net = rows * n - size * total) AS moved
            FROM (
                SELECT class, value, system.main.sum(net) AS net, system.main.sum(n) AS n
                FROM (
                    SELECT class, value, 0 AS net, n FROM ${tally}
                    UNION ALL SELECT class, source, amount::HUGEINT, 0 FROM "kanon#moves"
                    UNION ALL SELECT class, target, -amount::HUGEINT, 0 FROM "kanon#moves"
                )
                GROUP BY class, value
            )
            JOIN "kanon#domain" USING (value)
            JOIN "kanon#classes" USING (class)
            CROSS JOIN "kanon#whole"
            GROUP BY class
        ), "kanon#spent" AS (
            SELECT class, system.main.sum(amount::HUGEINT * cost) AS work,
                   system.main.bool_and(coalesce(amount >= 0 AND cost >= 0, false)) AS fair
            FROM "kanon#moves" LEFT JOIN "kanon#costs" USING (source, target)
            GROUP BY class
        )
        SELECT class, size, rows, scale, moved, coalesce(work, 0) AS work, coalesce(fair, true) AS fair
        FROM "kanon#classes"
        LEFT JOIN "kanon#moved" USING (class)
        LEFT JOIN "kanon#spent" USING (class)
        CROSS JOIN "kanon#whole"
    )
