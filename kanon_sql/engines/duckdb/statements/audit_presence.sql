    -- the shares of the classes that a row of the population matches add up to delta at most
    SELECT class, total <= ${most}::HUGEINT AS holds, total AS badness,
           CASE WHEN n IS NULL THEN 'a class matches no row of the population'
                ELSE system.main.format('the shares of a row of the population add up to {:.6f}', total / ${unit}::DOUBLE) END AS figure
    FROM ${counted}
