-- Of some sets of columns: the smallest class, the classes of fewer than k rows, and their rows, added up and by the worst set.
WITH coded AS (
    SELECT ${units}, count(*) AS n FROM ${written} GROUP BY ALL
)
SELECT count(*) AS sets, bool_and(total = (SELECT count(*) FROM ${written})) AS whole, min(least) AS least,
       sum(failing) AS failing, sum(below) AS below, max(below) AS most_below, NULL AS badness, NULL AS figure
FROM (
    SELECT chosen, sum(n) AS total, min(n) AS least, count_if(n < ${k}) AS failing, sum(IF(n < ${k}, n, 0L)) AS below
    FROM (SELECT ${chosen} AS chosen, sum(n) AS n FROM coded GROUP BY GROUPING SETS (${sets}))
    GROUP BY chosen
)
