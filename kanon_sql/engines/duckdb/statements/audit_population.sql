, ${check} AS (
    -- the rows of the population that match what each class shows; a class without an answer fails too
    SELECT (SELECT system.main.count(*) FROM "kanon#classes") - system.main.count(*) FILTER (holds) AS failing,
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
