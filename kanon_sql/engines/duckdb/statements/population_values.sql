LEFT JOIN (
        SELECT ${values}, system.main.min(number) AS code FROM ${everybody} WHERE number IS NOT NULL GROUP BY ${values}
    ) AS ${unit} ON ${match}
