, ${counted} AS MATERIALIZED (
    -- how many rows of the population match each piece: they have the same in the columns that it shows
    WITH "kanon#own" AS MATERIALIZED (${instances}    )
    SELECT class, coalesce(n, 0)::BIGINT AS n
    FROM "kanon#own" LEFT JOIN (
        SELECT instance, system.main.sum(n) AS n
        FROM (${matches}        )
        GROUP BY instance
    ) USING (instance)
)
