    -- entropy(class) >= ln l; where floats leave a doubt, whole numbers decide
    SELECT class,
           CASE WHEN more > doubt THEN true
                WHEN more < -doubt THEN false
                ELSE kanon_entropy(counts, ${l}, ${unit}) END AS holds,
           -entropy AS badness, format('in the worst, the entropy is that of {:.6f} values', exp(entropy)) AS figure
    FROM (
        SELECT class, counts, entropy, entropy - ln(${l} / ${unit}) AS more, 1e-9 * (1 + ln(size)) AS doubt
        FROM (
            SELECT class, counts, size, ln(size) - logs / size AS entropy
            FROM (
                SELECT class, list(n ORDER BY value) AS counts, sum(n)::DOUBLE AS size, sum(n * ln(n)) AS logs
                FROM ${tally}
                GROUP BY class
            )
        )
    )
