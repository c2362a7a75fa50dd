        -- of each value of a class its rows there, and whole numbers whose ratio is that of its shares in the class and in the table
        SELECT *, n::HUGEINT * all_rows AS here, size::HUGEINT * total AS whole
        FROM (
            SELECT class, n, system.main.sum(n) OVER (PARTITION BY class) AS size,
                   system.main.count(*) OVER (PARTITION BY class) AS different,
                   system.main.sum(n) OVER (PARTITION BY value) AS total, ${all_rows} AS all_rows
            FROM ${tally}
        ) AS pairs
