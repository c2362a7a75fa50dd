-- random_pairs(needed): at most 4096 pairs of drawn rows; none if they are not needed.

SELECT system.main.list_extract(ids, system.main.add(1, system.main.mod(number, size))) AS one,
       system.main.list_extract(ids, system.main.add(1, system.main.mod(
           system.main.add(number, system.main.add(1, system.main.mod(system.main.divide(number, size), system.main.subtract(size, 1)))), size))) AS two
FROM (
    SELECT ids, size, system.main.unnest(system.main.range(system.main.least(4096, system.main.multiply(size, system.main.subtract(size, 1))))) AS number
    FROM (
        SELECT system.main.list(id ORDER BY key ASC NULLS LAST) AS ids, system.main.count(*) AS size
        FROM "kanon#rows"
        WHERE drawn AND <needed>
    ) AS drawn
) AS drawn
