-- Of some sets of columns: the smallest class, the classes of fewer than k rows, and their rows, added up and by the set with most;
-- and the set with the smallest class, of several that with most such rows: its columns as bits, the last one first.
WITH coded AS (
    SELECT ${units}, count(*) AS n FROM ${written} GROUP BY ALL
)
SELECT count(*) AS sets, bool_and(total = (SELECT count(*) FROM ${written})) AS whole, min(least) AS least,
       sum(failing) AS failing, sum(below) AS below, max(below) AS most_below, NULL AS badness, NULL AS figure,
       min(struct(least, -below AS below, translate(reverse(chosen), '01', '10') AS bits)) AS worst
FROM (
    SELECT chosen, sum(n) AS total, min(n) AS least, count_if(n < ${k}) AS failing, sum(IF(n < ${k}, n, 0L)) AS below
    FROM (SELECT ${chosen} AS chosen, sum(n) AS n FROM coded GROUP BY GROUPING SETS (${sets}))
    GROUP BY chosen
)
