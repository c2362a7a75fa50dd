-- How many rows of each class have which value; a value is a struct, in which NULL is equal to itself.
tally AS (
    SELECT struct(${looks}) AS class, struct(${sensitive}) AS value, ${sensitive} AS label, count(*) AS n FROM ${written} GROUP BY ALL
)
