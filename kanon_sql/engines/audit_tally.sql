, ${tally} AS MATERIALIZED (
    -- how many rows of each class have which value, among the very rows that are handed out; NULL is the last value
    SELECT class, system.main.dense_rank() OVER (ORDER BY key) AS value, label, n
    FROM (
        SELECT class, key, system.main.min(label) AS label, system.main.sum(n)::BIGINT AS n
        FROM (
            SELECT "kanon#r"."kanon#piece" AS piece, system.main.create_sort_key(system.main.row(${value}), 'ASC NULLS LAST')
                AS key,
                   system.main.min(${label}) AS label, system.main.count(*) AS n
            FROM ${rows}
            GROUP BY 1, 2
        )
        JOIN "kanon#looks" USING (piece)
        GROUP BY class, key
    )
)
