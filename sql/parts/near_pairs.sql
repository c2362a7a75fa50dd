-- near_pairs(): of each column, about 2,000 pairs of neighbours with the same value, or all of fewer.

SELECT place, one, two
FROM "kanon#neighbours"
JOIN (SELECT place AS own, system.main.add(1, system.main.divide(pairs, 2000))::UBIGINT AS parts FROM "kanon#keys") AS keys ON own = place
WHERE same AND system.main.mod(key, parts) = 0
