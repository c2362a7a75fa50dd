, ${tally} AS MATERIALIZED (
    -- how many rows of each class have which value, among the very rows that are handed out: what its column calls equal is one
    -- value, of which the first text is told; NULL is the last value
    SELECT class, system.main.dense_rank() OVER (ORDER BY key ASC NULLS LAST) AS value, label, texts, n
    FROM (
        SELECT class, system.main.min(key) OVER (PARTITION BY own) AS key, system.main.min(label) OVER (PARTITION BY own)
            AS label,
               texts, n
        FROM (
            SELECT class, own, system.main.min(key) AS key, system.main.min(label) AS label,
                   system.main.list(DISTINCT label) AS texts, system.main.sum(n)::BIGINT AS n
            FROM (
                SELECT "kanon#class" AS class, ${value} AS own, ${label} AS label,
                       system.main.create_sort_key(system.main.row(${value}), 'ASC NULLS LAST') AS key, ${number} AS n
                FROM "kanon#rows" AS "kanon#r"
                GROUP BY ALL
            )
            GROUP BY class, own
        )
    )
)
