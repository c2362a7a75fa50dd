, ${tally} AS MATERIALIZED (
    -- how many rows of each class have which value, among the very rows that are handed out; NULL is the last value
    SELECT class, dense_rank() OVER (ORDER BY key) AS value, label, n
    FROM (
        SELECT class, key, min(label) AS label, sum(n)::BIGINT AS n
        FROM (
            SELECT "kanon#r"."kanon#piece" AS piece, create_sort_key(row(${value}), 'ASC NULLS LAST') AS key,
                   min(${label}) AS label, count(*) AS n
            FROM ${rows}
            GROUP BY 1, 2
        )
        JOIN "kanon#looks" USING (piece)
        GROUP BY class, key
    )
)
