-- agreements(pairs; questions; met): of pairs of rows and questions as for compared, in how many pairs they met, and the share that agrees on the other
-- column, of those in which both rows have a value; NULL for few of them; and by how many years what grows differs on average.

SELECT place, other, system.main.count(*) AS pairs,
       CASE WHEN system.main.count(agrees) >= system.main.greatest(1, system.main.divide(system.main.least(30, system.main.count(*)), 2))
           THEN system.main.avg(agrees) END AS share,
       system.main.avg(years) AS years
FROM (
    @compared(<pairs>; <questions>; <met>)
) AS pairs
GROUP BY place, other
