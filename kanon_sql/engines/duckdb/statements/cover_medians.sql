    -- the lower median: fewer than half of the values of a class are below it, and at least half are no higher
    SELECT system.main.count(*) FILTER (
        CASE WHEN known = 0 THEN shown ELSE coalesce(2 * below < known AND 2 * upto >= known, false) IS FALSE END) AS wrong
    FROM (
        SELECT class, labels[${number}] IS NOT NULL AS shown,
               coalesce(system.main.sum(upto - after) FILTER (qi.${column} IS NOT NULL), 0) AS known,
               coalesce(system.main.sum(upto - after) FILTER (qi.${column} < ${label}), 0) AS below,
               coalesce(system.main.sum(upto - after) FILTER (qi.${column} <= ${label}), 0) AS upto
        FROM "kanon#pieces"
        GROUP BY ALL
    )
