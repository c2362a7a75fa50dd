    -- the lower median: fewer than half of the values of a class are below it, and at least half are no higher
    SELECT system.main.count(*) FILTER (
        CASE WHEN known = 0 THEN label IS NOT NULL ELSE coalesce(2 * below < known AND 2 * upto >= known, false) IS FALSE END
    ) AS wrong
    FROM (
        SELECT class, label, coalesce(system.main.sum(rows) FILTER (value IS NOT NULL), 0) AS known,
               coalesce(system.main.sum(rows) FILTER (value < label), 0) AS below,
               coalesce(system.main.sum(rows) FILTER (value <= label), 0) AS upto
        FROM (SELECT class, upto - after AS rows, ${value} AS value, ${label} AS label FROM "kanon#pieces")
        GROUP BY ALL
    )
