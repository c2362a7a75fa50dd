    -- no value gains more than beta, or -ln of its share of the table, over that share; where floats leave a doubt, whole
    -- numbers decide
    SELECT class,
           here * ${unit} <= whole * (${unit} + ${beta}) AND
           CASE WHEN here <= whole THEN true
                WHEN more > doubt THEN true
                WHEN more < -doubt THEN false
                ELSE system.main.kanon_gain(n, size::BIGINT, total::BIGINT, all_rows::BIGINT) END AS holds,
           gain AS badness,
           system.main.format('in the worst, one value has {} of {} rows, of the whole table {} of {}', n, size, total, all_rows)
               AS figure
    FROM (
        SELECT *, system.main.ln(all_rows / total::DOUBLE) - gain AS more,
               1e-12 * (1 + system.main.ln(all_rows / total::DOUBLE)) AS doubt
        FROM (
            SELECT *, n::HUGEINT * all_rows AS here, size::HUGEINT * total AS whole, (here - whole) / whole::DOUBLE AS gain
            FROM (
                SELECT class, n, system.main.sum(n) OVER (PARTITION BY class) AS size,
                       system.main.sum(n) OVER (PARTITION BY value) AS total, system.main.sum(n) OVER () AS all_rows
                FROM ${tally}
            )
        )
    )
