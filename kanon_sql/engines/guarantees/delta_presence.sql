    -- the shares of the classes that a row of the population matches add up to delta at most
    SELECT class, total <= ${most}::HUGEINT AND NOT mixed AS holds, total AS badness,
           CASE WHEN n IS NULL THEN 'a class matches no row of the population'
                WHEN mixed THEN 'cells that are shown look like suppressed ones (another text for those)'
                ELSE system.main.format('the shares of a row of the population add up to {:.6f}', total / ${unit}::DOUBLE) END AS figure
    FROM ${counted}
