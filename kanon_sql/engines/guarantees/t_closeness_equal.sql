    -- half the sum over the values of |share of the class - share of the table|; a value that the class has not adds the
    -- share of the table, so that is taken for all values first
    SELECT class, numerator, denominator, numerator * ${unit} <= denominator * ${t} AS holds,
           numerator::DOUBLE / denominator AS badness,
           system.main.printf('the worst is at a distance of %.6f', numerator::DOUBLE / denominator) AS figure
    FROM (
        SELECT class, system.main.max(size::HUGEINT * all_rows) + system.main.sum(system.main.abs(here - whole) - whole) AS numerator,
               2 * system.main.max(size::HUGEINT * all_rows) AS denominator
        FROM (
${shares}
        )
        GROUP BY class
    )
