, ${check} AS (
    -- a class without an answer fails too, and nothing passes before all rows are counted
    SELECT CASE WHEN (SELECT system.main.sum(n) FROM ${tally}) = (SELECT ${number} FROM "kanon#rows")
                THEN (SELECT system.main.count(DISTINCT class) FROM ${tally}) - system.main.count(*) FILTER (holds) END
                    AS failing,
           coalesce(system.main.first(figure ORDER BY badness DESC NULLS LAST, figure ASC NULLS LAST) FILTER (NOT holds),
                    'by unknown figures') AS worst
    FROM (
        SELECT class, system.main.bool_and(coalesce(holds, false)) AS holds, system.main.max(badness) AS badness,
               system.main.max(figure) AS figure
        FROM (
${question}
        )
        GROUP BY class
    )
)
