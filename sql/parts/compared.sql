-- compared(pairs; questions; met): for pairs of rows, one and two, and questions, which name a column by its place and another one: whether a pair that
-- met agrees on the other one, 1 or 0; NULL if a value is missing. What grows by a year each year, as an age does, may differ by one, or by three if it
-- is not known when both rows were written; years is by how many it does. An age may be that of the day when a row was written, or of one day: what
-- differs less counts.

SELECT place, one, two, other, years, CASE
           WHEN mine IS NULL OR yours IS NULL THEN NULL
           WHEN mine = yours OR grows AND years <= CASE WHEN later IS NULL THEN 3 ELSE 1 END THEN 1
           ELSE 0
       END AS agrees
FROM (
    SELECT place, pairs.one AS one, pairs.two AS two, other, grows, system.main.list_extract(one.codes, other) AS mine, system.main.list_extract(two.codes, other) AS yours,
           system.main.subtract(one.written, two.written) AS later,
           system.main.subtract(system.main.list_extract(one.years, other), system.main.list_extract(two.years, other)) AS apart,
           system.main.least(system.main.abs(apart), system.main.abs(system.main.subtract(apart, coalesce(later, 0)))) AS years
    FROM (<pairs>) AS pairs
    JOIN "kanon#rows" AS one ON one.id = pairs.one
    JOIN "kanon#rows" AS two ON two.id = pairs.two
    JOIN (<questions>) AS asked
        ON <met>
) AS pairs
