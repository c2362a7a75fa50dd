-- the day, month, quarter, year and decade of a date; beyond an end, only the label of the end
        SELECT code, label, CASE WHEN system.main.contains(label, 'Q') THEN 1 ELSE system.main.length(label) END AS layer
        FROM (
            SELECT code, year, system.main.unnest([
                system.main.strftime(t, '%Y-%m-%d'), system.main.strftime(t, '%Y-%m'),
                system.main.concat(system.main.strftime(t, '%Y'), '-Q', system.main.quarter(t)), system.main.strftime(t, '%Y'),
                system.main.concat(system.main.format('{:03}', system.main.year(t) // 10), '0s')${own}]) AS label
            FROM (
                SELECT *, system.main.year(t) AS year
                FROM (SELECT code, TRY_CAST(value AS TIMESTAMP) AS t FROM ${texts})
            )
        ) AS shown
        WHERE label IN (SELECT label FROM "kanon#shown") AND CASE
            ${ends}
            WHEN system.main.regexp_matches(label, '^<|[+]$$') THEN false
            ELSE true END
