    -- every value of the table is in the class, and the greater of its shares there and in the table is at most e^delta times
    -- the other
    SELECT class, complete AND over <= under AS holds, badness,
           CASE WHEN complete
                THEN system.main.format('in the worst, one value has {} of {} rows, of the whole table {} of {}', n, size, total,
                                        all_rows)
                ELSE 'in the worst, a value of the table is missing' END AS figure
    FROM (
        SELECT *, system.main.greatest(here, whole)::HUGEINT * ${unit} AS over, system.main.least(here, whole)::HUGEINT * ${ratio}
                      AS under,
               CASE WHEN complete THEN system.main.greatest(here, whole) / system.main.least(here, whole)::DOUBLE
                    ELSE 'Infinity'::DOUBLE END AS badness
        FROM (
            SELECT *, n::HUGEINT * all_rows AS here, size::HUGEINT * total AS whole,
                   different = (SELECT system.main.count(DISTINCT value) FROM ${tally}) AS complete
            FROM (
                SELECT class, n, system.main.sum(n) OVER (PARTITION BY class) AS size,
                       system.main.count(*) OVER (PARTITION BY class) AS different,
                       system.main.sum(n) OVER (PARTITION BY value) AS total, system.main.sum(n) OVER () AS all_rows
                FROM ${tally}
            )
        )
    )
