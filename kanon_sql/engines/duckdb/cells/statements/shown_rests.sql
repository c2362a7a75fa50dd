-- What is left of each shown row without the shown rows of a finer set, and how many of its finer rows are suppressed.
-- Slots: see published_rows.py.
SELECT ${keys}, c.v - system.main.sum(coalesce(f.v, 0)) AS rest
FROM "kanon#cells" AS c JOIN "kanon#cells" AS f ON ${same}
WHERE ${pattern} AND ${finer} AND c.v IS NOT NULL
GROUP BY ${names} c.id, c.v
HAVING system.main.count(*) FILTER (WHERE f.v IS NULL) > 0
