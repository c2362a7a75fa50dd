    -- every value of the table is in the class, and the greater of its shares there and in the table is at most e^delta times
    -- the other
    SELECT class, complete AND larger * ${unit} <= smaller * ${ratio} AS holds, badness,
           CASE WHEN complete
                THEN system.main.concat('in the worst, one value has ', n, ' of ', size, ' rows, of the whole table ', total, ' of ',
                                        all_rows)
                ELSE 'in the worst, a value of the table is missing' END AS figure
    FROM (
        SELECT *, CASE WHEN complete THEN larger / smaller::DOUBLE ELSE 'Infinity'::DOUBLE END AS badness
        FROM (
            SELECT *, system.main.greatest(here, whole) AS larger, system.main.least(here, whole) AS smaller,
                   different = (SELECT system.main.count(DISTINCT value) FROM ${tally}) AS complete
            FROM (
${shares}
            )
        )
    )
