-- what the columns that are released unchanged give back of suppressed cells: one row of counts, without values
WITH unchanged AS (
    -- of each row the hash of each column that is released unchanged
    SELECT posexplode(v) AS (i, v), x FROM ${cells}
), concealed AS (
    -- how many cells of each value of a quasi-identifier are hidden, wholly or by a coarser label
    SELECT j, x, sum(n) AS n, sum(IF(hidden, n, 0)) AS hidden
    FROM (SELECT place + 1 AS j, cell.x AS x, cell.hidden AS hidden, n FROM (SELECT posexplode(c) AS (place, cell), n FROM ${pieces}))
    GROUP BY j, x
), paired AS (
    SELECT i, v, j, x, count(*) AS n
    FROM (SELECT i, v, place + 1 AS j, x FROM (SELECT i + 1 AS i, v, posexplode(x) AS (place, x) FROM unchanged))
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
SELECT (SELECT collect_list(struct(j, cells, common)) FROM (
           SELECT j, sum(hidden) AS cells, max(n) / sum(n) AS common FROM concealed GROUP BY j
       )) AS hidden,
       -- guesses from at least one other row, and from at least four
       (SELECT collect_list(struct(i, j, cells, hit, miss, hit_of_five, miss_of_five, true AS exact)) FROM (
           SELECT i, j, sum(cells) AS cells, sum(IF(size >= 2, hit, 0)) AS hit, sum(IF(size >= 2, miss, 0)) AS miss,
                  sum(IF(size >= 5, hit, 0)) AS hit_of_five, sum(IF(size >= 5, miss, 0)) AS miss_of_five
           FROM guessed GROUP BY i, j
       )) AS guessed
