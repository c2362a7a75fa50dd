    -- the mean of the rows that a class has a value of, to the last digits that adding them in any order may change
    SELECT system.main.count(*) FILTER (CASE
        WHEN known = 0 THEN label IS NOT NULL
        ELSE coalesce(system.main.abs(label - total / known) <= 4e-15 * largest, false) IS FALSE END) AS wrong
    FROM (
        SELECT class, TRY_CAST(labels[${number}] AS DOUBLE) AS label,
               coalesce(system.main.sum(upto - after) FILTER (qi.${column} IS NOT NULL), 0) AS known,
               system.main.fsum(TRY_CAST(qi.${column} AS DOUBLE) * (upto - after)) AS total,
               system.main.max(system.main.abs(TRY_CAST(qi.${column} AS DOUBLE))) AS largest
        FROM "kanon#pieces"
        GROUP BY ALL
    )
