${read}
    SELECT system.main.count(*) FILTER (coalesce(CASE
        WHEN value IS NULL THEN empty
        WHEN numbers THEN low_number <= number AND (number < high_number OR (closed AND number = high_number))
        ELSE closed AND value >= low COLLATE "binary" AND value <= high COLLATE "binary" END, false) IS FALSE)${apart} AS wrong
    FROM (SELECT value, label, ${number} AS number FROM "kanon#shown") AS shown
    JOIN "kanon#read" AS read ON read.label = shown.label
    CROSS JOIN ${order}