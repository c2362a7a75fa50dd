SELECT system.main.count(*) FILTER (coalesce(label IN (
        value, system.main.strftime(t, '%Y-%m-%d'), system.main.strftime(t, '%Y-%m'),
        system.main.concat(system.main.strftime(t, '%Y'), '-Q', system.main.quarter(t)), system.main.strftime(t, '%Y'),
        system.main.concat(system.main.format('{:03}', system.main.year(t) // 10), '0s')), false) IS FALSE) AS wrong
    FROM (SELECT value, label, TRY_CAST(value AS TIMESTAMP) AS t FROM "kanon#shown")
