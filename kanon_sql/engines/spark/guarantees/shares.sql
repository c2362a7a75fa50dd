-- The greatest gain of a value in a class over its share of the table, and how far ln of the two are apart at most.
WITH tally AS (
    SELECT struct(${looks}) AS class, ${sensitive} AS value, count(*) AS n FROM ${written} GROUP BY ALL
)
SELECT max(gain).here AS here, max(gain).whole AS whole,
       CASE WHEN bool_and(different = (SELECT count(DISTINCT struct(value)) FROM tally)) THEN max(ln(CAST(greatest(here, whole) AS DOUBLE) / CAST(least(here, whole) AS DOUBLE)))
            ELSE double('Infinity') END AS delta
FROM (
    SELECT *, struct(CAST(here AS DOUBLE) / CAST(whole AS DOUBLE) AS ratio, here, whole) AS gain
    FROM (
        SELECT CAST(n AS DECIMAL(19, 0)) * CAST((SELECT sum(n) FROM tally) AS DECIMAL(19, 0)) AS here,
               CAST(sum(n) OVER (PARTITION BY class) AS DECIMAL(19, 0))
                   * CAST(sum(n) OVER (PARTITION BY value) AS DECIMAL(19, 0)) AS whole,
               count(*) OVER (PARTITION BY class) AS different
        FROM tally
    )
)
