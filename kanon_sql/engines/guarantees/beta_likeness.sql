    -- no value gains more than beta, or -ln of its share of the table, over that share; where floats leave a doubt, whole
    -- numbers decide
    SELECT class, n, size, total, all_rows,
           here * ${unit} <= whole * ${unit} + whole * ${beta} AND
           CASE WHEN here <= whole THEN true
                WHEN more > doubt THEN true
                WHEN more < -doubt THEN false
                ELSE ${exact} END AS holds,
           gain AS badness,
           system.main.concat('in the worst, one value has ', n, ' of ', size, ' rows, of the whole table ', total, ' of ', all_rows)
               AS figure
    FROM (
        SELECT *, system.main.ln(all_rows / total::DOUBLE) - gain AS more,
               1e-14 * (1 + system.main.ln(all_rows / total::DOUBLE)) AS doubt
        FROM (SELECT *, (here - whole) / whole::DOUBLE AS gain FROM (
${shares}
        ))
    )
