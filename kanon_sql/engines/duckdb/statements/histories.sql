, "kanon#histories" AS (
    -- of each token the classes of its rows, by the column that shows it: equal ones have one number; an empty cell is nobody
    SELECT token, system.main.dense_rank() OVER (ORDER BY entries ASC NULLS LAST) AS history,
           system.main.len(entries) AS entries, places
    FROM (
        SELECT token, system.main.list_sort(system.main.list(entry), 'ASC', 'NULLS LAST') AS entries,
               system.main.list_value(${places}) AS places
        FROM (
${entries}
        )
        WHERE token IS NOT NULL
        GROUP BY token
    )
), "kanon#linked" AS (
    -- what linked rows give away together is judged once all else holds
    SELECT CASE WHEN refused IS NULL THEN passed ELSE system.main.error(refused) END AS passed
    FROM (
        SELECT passed, CASE WHEN passed THEN system.main.kanon_histories(
            (SELECT release FROM "kanon#sums"), ${home}, ${called},
            (SELECT system.main.list("kanon#h") FROM "kanon#histories" AS "kanon#h")) END AS refused
        FROM "kanon#audit"
    )
)
