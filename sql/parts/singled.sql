-- singled(k; limit; most): the columns that single out too many rows, and all of them together, each with words; the limits are parts of 10^18.

SELECT place, system.main.format(''{{}} {{:.1f}}% of the rows{{}}'', CASE WHEN place > 0 THEN ''singles out'' ELSE ''together single out'' END,
           system.main."/"(system.main.multiply(100.0::DOUBLE, single), "rows"), CASE WHEN place > 0 AND shared > 2
               THEN system.main.concat('' (values shared by fewer than '', shared, '' rows)'') ELSE '''' END) AS words
FROM (
    SELECT place, shared, system.main.sum(alike) AS "rows",
           coalesce(system.main.sum(alike) FILTER (alike < CASE WHEN place > 0 THEN shared ELSE 2 END), 0) AS single
    FROM "kanon alike", (
        SELECT system.main.greatest(2, system.main.least(<k>, 10, system.main.divide(system.main.count(*), 40))) AS shared FROM "kanon source"
    ) AS shared
    GROUP BY place, shared
) AS singles, "kanon names"
WHERE (place > 0 OR system.main.len(names) > 2)
    AND (system.main.multiply(single::HUGEINT, 1000000000000000000) > system.main.multiply("rows", <most>)
        OR place > 0 AND system.main.multiply(single::HUGEINT, 1000000000000000000)
            > system.main.multiply(system.main.greatest("rows", 50), <limit>))
