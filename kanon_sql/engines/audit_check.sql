, ${check} AS (
    -- a class without an answer fails too, and nothing passes before all rows are counted
    SELECT CASE WHEN (SELECT sum(n) FROM ${tally}) = (SELECT ${number} FROM "kanon#rows")
                THEN (SELECT count(DISTINCT class) FROM ${tally}) - count(*) FILTER (holds) END AS failing,
           coalesce(first(figure ORDER BY badness DESC NULLS LAST, figure) FILTER (NOT holds), 'by unknown figures') AS worst
    FROM (
        SELECT class, bool_and(coalesce(holds, false)) AS holds, max(badness) AS badness, max(figure) AS figure
        FROM (
${question}
        )
        GROUP BY class
    )
)
