-- How many classes break a requirement; a class without an answer breaks it, and nothing holds before all rows are counted.
WITH tally AS (
    SELECT struct(${looks}) AS class, ${sensitive} AS value, count(*) AS n FROM ${written} GROUP BY ALL
), answers AS (
${question}
)
SELECT CASE WHEN (SELECT sum(n) FROM tally) = (SELECT count(*) FROM ${written})
            THEN (SELECT count(DISTINCT class) FROM tally) - count_if(coalesce(holds, false)) END AS failing,
       coalesce(max_by(figure, badness) FILTER (WHERE NOT coalesce(holds, false)), 'by unknown figures') AS worst
FROM answers
