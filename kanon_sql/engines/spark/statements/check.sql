-- How many classes break a requirement; a class without an answer breaks it, and nothing holds before all rows are counted.
WITH ${tally}, answers AS (
    SELECT class, bool_and(coalesce(holds, false)) AS holds, max(badness) AS badness, max_by(figure, badness) AS figure
    FROM (
${question}
    )
    GROUP BY class
)
SELECT CASE WHEN (SELECT sum(n) FROM tally) = (SELECT count(*) FROM ${written})
            THEN (SELECT count(DISTINCT class) FROM tally) - count_if(holds) END AS failing,
       coalesce(max_by(figure, badness) FILTER (WHERE NOT holds), 'by unknown figures') AS worst
FROM answers
