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
)
