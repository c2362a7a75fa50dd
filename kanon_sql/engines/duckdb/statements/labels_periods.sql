-- the day, month, quarter, year and decade of a date
        SELECT code, label, CASE WHEN system.main.contains(label, 'Q') THEN 1 ELSE system.main.length(label) END AS layer
        FROM (
            SELECT code, system.main.unnest([
                system.main.strftime(t, '%Y-%m-%d'), system.main.strftime(t, '%Y-%m'),
                system.main.concat(system.main.strftime(t, '%Y'), '-Q', system.main.quarter(t)), system.main.strftime(t, '%Y'),
                system.main.concat(system.main.format('{:03}', system.main.year(t) // 10), '0s')]) AS label
            FROM (SELECT code, TRY_CAST(value AS TIMESTAMP) AS t FROM ${texts})
        )
        WHERE label IN (SELECT label FROM "kanon#shown")
