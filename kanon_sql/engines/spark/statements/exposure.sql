-- what the columns that are released unchanged reveal: one row of counts, without values
WITH unchanged AS (
    -- of each row the hash of what is released unchanged: all columns together (0), then each alone
    SELECT posexplode(v) AS (i, v), x, person FROM ${cells}
), single AS (
    -- rows whose value, or whose values in all these columns together, no other row has ("single"), or no other person ("lone")
    SELECT i, sum(n) AS rows, count_if(n = 1) AS single, sum(IF(lone, n, 0)) AS lone
    FROM (SELECT i, v, count(*) AS n, ${lone} AS lone FROM unchanged WHERE i > 0 OR ${columns} > 1 GROUP BY i, v)
    GROUP BY i
), concealed AS (
    -- how many cells of each value of a quasi-identifier are hidden, wholly or by a coarser label
    SELECT j, x, sum(n) AS n, sum(IF(hidden, n, 0)) AS hidden
    FROM (SELECT place + 1 AS j, cell.x AS x, cell.hidden AS hidden, n FROM (SELECT posexplode(c) AS (place, cell), n FROM ${pieces}))
    GROUP BY j, x
), paired AS (
    SELECT i, v, j, x, count(*) AS n
    FROM (SELECT i, v, place + 1 AS j, x FROM (SELECT i, v, posexplode(x) AS (place, x) FROM unchanged WHERE i > 0))
    GROUP BY i, v, j, x
), guessed AS (
    -- a cell is guessed from the other rows with the same unchanged value, where nearly all of them agree: then they are right of
    -- the commonest value alone, and wrong of all others (of two rows that differ, of both)
    SELECT i, j, size, cells,
           CASE WHEN (top - 1) * 100 >= ${agreed} * (size - 1) THEN top_cells ELSE 0 END AS hit,
           CASE WHEN top * 100 < ${agreed} * (size - 1) THEN 0 WHEN size = 2 AND top = 1 THEN cells ELSE cells - top_cells END AS miss
    FROM (
        SELECT i, j, sum(here) AS size, sum(back) AS cells, max(here) AS top, max_by(back, here) AS top_cells
        FROM (
            SELECT i, p.j AS j, v, p.n AS here, CAST(p.n AS DOUBLE) * hidden / c.n AS back
            FROM paired AS p JOIN concealed AS c ON p.j = c.j AND p.x = c.x
        )
        GROUP BY i, j, v
    )
)
SELECT rows,
       fingerprint,
       (SELECT collect_list(struct(i, rows, single, lone)) FROM single) AS single,
       (SELECT collect_list(struct(j, cells, common)) FROM (
           SELECT j, sum(hidden) AS cells, max(n) / sum(n) AS common FROM concealed GROUP BY j
       )) AS hidden,
       -- guesses from at least one other row, and from at least four
       (SELECT collect_list(struct(i, j, cells, hit, miss, hit_of_five, miss_of_five, true AS exact)) FROM (
           SELECT i, j, sum(cells) AS cells, sum(IF(size >= 2, hit, 0)) AS hit, sum(IF(size >= 2, miss, 0)) AS miss,
                  sum(IF(size >= 5, hit, 0)) AS hit_of_five, sum(IF(size >= 5, miss, 0)) AS miss_of_five
           FROM guessed GROUP BY i, j
       )) AS guessed
FROM (SELECT count(*) AS rows, sum(CAST(v[0] AS DECIMAL(20, 0))) AS fingerprint FROM ${cells})
