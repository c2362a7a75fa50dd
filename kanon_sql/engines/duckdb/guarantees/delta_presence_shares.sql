, ${counted} AS MATERIALIZED (
    -- for each piece the greatest sum of shares that a row of the population which matches it has, in parts of 1 / ${unit}
    WITH "kanon#own" AS MATERIALIZED (
        SELECT "kanon#p".class, size, hidden, ${own}
        FROM (
            SELECT class, row_type, labels, upto - after AS size,
                   ${hidden} AS hidden
            FROM "kanon#pieces"
        ) AS "kanon#p"
        LEFT JOIN ${known} AS "kanon#k" ON "kanon#k".number = "kanon#p".row_type
    ), "kanon#instances" AS MATERIALIZED (
        SELECT *, system.main.row_number() OVER () AS instance
        FROM (SELECT system.main.sum(size) AS size, * EXCLUDE (class, size) FROM "kanon#own" GROUP BY ALL)
    ), "kanon#seen" AS MATERIALIZED (
        SELECT person, instance, n
        FROM (
            SELECT person, n, hidden, ${theirs}
            FROM (SELECT *, system.main.row_number() OVER () AS person FROM ${coded}) AS "kanon#c" CROSS JOIN (
                SELECT DISTINCT hidden FROM "kanon#own"
            ) AS "kanon#h"
            ${joins}
        ) AS "kanon#m"
        JOIN "kanon#instances" AS "kanon#o" ON ${match}
    ), "kanon#shares" AS MATERIALIZED (
        -- rounded up, so the sum is never too small
        SELECT instance, n, (size::HUGEINT * ${unit}::HUGEINT + n - 1) // n AS share
        FROM (SELECT instance, system.main.sum(n)::HUGEINT AS n FROM "kanon#seen" GROUP BY instance)
        JOIN "kanon#instances" USING (instance)
    )
    -- a class of two instances is one where a cell that is shown looks like a suppressed one: readers cannot count it as we do
    SELECT class, n, total,
           system.main.min(instance) OVER (PARTITION BY class) < system.main.max(instance) OVER (PARTITION BY class) AS mixed
    FROM "kanon#own" AS "kanon#m" LEFT JOIN "kanon#instances" AS "kanon#o" ON ${match}
    LEFT JOIN "kanon#shares" USING (instance)
    LEFT JOIN (
        SELECT instance, system.main.max(total) AS total
        FROM "kanon#seen"
        JOIN (
            SELECT person, system.main.sum(share)::HUGEINT AS total
            FROM "kanon#seen" JOIN "kanon#shares" USING (instance)
            GROUP BY person
        ) USING (person)
        GROUP BY instance
    ) USING (instance)
)
