, ${tally} AS MATERIALIZED (
    -- how many rows of each class have which value, among the very rows that are handed out; NULL is the last value
    SELECT class, system.main.dense_rank() OVER (ORDER BY key) AS value, label, n
    FROM (
        SELECT "kanon#class" AS class, system.main.create_sort_key(system.main.row(${value}), 'ASC NULLS LAST') AS key,
               system.main.min(${label}) AS label, ${number} AS n
        FROM "kanon#rows" AS "kanon#r"
        GROUP BY 1, 2
    )
)
