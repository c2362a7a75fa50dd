-- The same of classes that break a requirement on values. Each set has all rows once, so shares of all rows are those of the table.
WITH coded AS (
    SELECT ${units}, ${sensitive} AS label, count(*) AS n FROM ${written} GROUP BY ALL
), tally AS (
    SELECT struct(chosen, ${names}) AS class, struct(label) AS value, label, n
    FROM (SELECT ${chosen} AS chosen, ${names}, label, sum(n) AS n FROM coded GROUP BY GROUPING SETS (${sets}))
), answers AS (
${question}
)
SELECT count(*) AS sets, bool_and(total = (SELECT count(*) FROM ${written})) AS whole, min(least) AS least,
       sum(failing) AS failing, sum(below) AS below, max(below) AS most_below, max(badness) AS badness,
       max_by(figure, badness) AS figure, max(worst) AS worst
FROM (
    SELECT chosen, sum(size) AS total, min(size) AS least, count_if(fails) AS failing, sum(IF(fails, size, 0L)) AS below,
           max(badness) AS worst, max(badness) FILTER (WHERE fails) AS badness,
           max_by(figure, badness) FILTER (WHERE fails) AS figure
    FROM (
        -- a class without an answer fails, too
        SELECT class.chosen AS chosen, size, NOT coalesce(holds, false) AS fails, badness, figure
        FROM (SELECT class, sum(n) AS size FROM tally GROUP BY class)
        LEFT JOIN (
            SELECT class AS answered, bool_and(coalesce(holds, false)) AS holds, max(badness) AS badness,
                   max_by(figure, badness) AS figure
            FROM answers GROUP BY class
        ) ON answered <=> class
    )
    GROUP BY chosen
)
