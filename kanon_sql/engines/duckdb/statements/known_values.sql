-- of each set its smallest class, all its rows, its classes that break a guarantee, and their rows
SELECT chosen, system.main.min(size) AS least, system.main.sum(size) AS total,
       coalesce(system.main.sum(size) FILTER (holds IS NOT TRUE), 0) AS below,
       system.main.count(*) FILTER (holds IS NOT TRUE) AS failing,
       system.main.max(badness) FILTER (holds IS NOT TRUE) AS badness, system.main.max(badness) AS most_badness,
       system.main.first(figure ORDER BY badness DESC NULLS LAST, figure ASC NULLS LAST) FILTER (holds IS NOT TRUE) AS figure
FROM (
    WITH "kanon#by_sets" AS MATERIALIZED (
        -- what each class by each of these sets holds: each set has all rows once, so shares of all rows stay what they are
        SELECT chosen, value, label, ${texts} AS texts, n,
               system.main.dense_rank() OVER (ORDER BY system.main.row(chosen, ${names}) ASC NULLS LAST) AS class
        FROM (
            SELECT ${bits} AS chosen, ${names}, value, system.main.any_value(label) AS label, system.main.sum(n)::BIGINT AS n
            FROM ${coded} JOIN (SELECT class, ${value} AS value, label, n FROM ${tally}) USING (class)
            GROUP BY GROUPING SETS (${sets})
        )${texts_of_values}
    )
    SELECT * FROM (
        SELECT class, system.main.any_value(chosen) AS chosen, system.main.sum(n) AS size FROM "kanon#by_sets" GROUP BY class
    )
    LEFT JOIN (
        -- a class without an answer fails, too
        SELECT class, system.main.bool_and(coalesce(holds, false)) AS holds, system.main.max(badness) AS badness,
               system.main.max(figure) AS figure
        FROM (
${question}
        )
        GROUP BY class
    ) USING (class)
)
GROUP BY chosen
