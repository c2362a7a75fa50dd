, ${counted} AS MATERIALIZED (
    -- for each piece the greatest sum of shares that a row of the population which matches it has, in parts of 1 / ${unit}
    WITH "kanon#own" AS MATERIALIZED (${instances}    ), "kanon#seen" AS MATERIALIZED (${matches}    ), "kanon#shares" AS MATERIALIZED (
        -- rounded up, so the sum is never too small
        SELECT instance, n, (size::HUGEINT * ${unit}::HUGEINT + n - 1) // n AS share
        FROM (SELECT instance, system.main.sum(n)::HUGEINT AS n FROM "kanon#seen" GROUP BY instance)
        JOIN (SELECT instance, system.main.sum(size) AS size FROM "kanon#own" GROUP BY instance) USING (instance)
    )
    -- a class of two instances is one where a cell that is shown looks like a suppressed one: readers cannot count it as we do
    SELECT class, n, total,
           system.main.min(instance) OVER (PARTITION BY class) < system.main.max(instance) OVER (PARTITION BY class) AS mixed
    FROM "kanon#own"
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
