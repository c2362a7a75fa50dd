-- The class that is farthest from the whole table.
WITH tally AS (
    SELECT struct(${looks}) AS class, ${sensitive} AS value, count(*) AS n FROM ${written} GROUP BY ALL
)
SELECT max_by(struct(numerator, denominator), badness) AS farthest
FROM (
${question}
)
