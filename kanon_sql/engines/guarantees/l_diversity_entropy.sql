    -- entropy(class) >= ln l; where floats leave a doubt, whole numbers decide
    SELECT class,
           CASE WHEN more > doubt THEN true
                WHEN more < -doubt THEN false
                ELSE system.main.kanon_entropy(counts, ${l}, ${unit}) END AS holds,
           -entropy AS badness, system.main.format('in the worst, the entropy is that of {:.6f} values',
                                                   system.main.exp(entropy)) AS figure
    FROM (
        SELECT class, counts, entropy, entropy - system.main.ln(${l}::DOUBLE / ${unit}) AS more,
               1e-9 * (1 + system.main.ln(size)) AS doubt
        FROM (
            SELECT class, counts, size, system.main.ln(size) - logs / size AS entropy
            FROM (
                SELECT class, system.main.list(n ORDER BY value ASC NULLS LAST) AS counts, system.main.sum(n)::DOUBLE AS size,
                       system.main.sum(n * system.main.ln(n)) AS logs
                FROM ${tally}
                GROUP BY class
            )
        )
    )
