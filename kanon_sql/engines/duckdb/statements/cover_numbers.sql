${read}
    SELECT system.main.count(*) FILTER (coalesce(CASE
        WHEN number IS NULL THEN false
        ${ends}
        WHEN low_number = high_number THEN ${values} AND number = low_number
        ELSE (low_number < number OR (low_number = number AND NOT above)) AND (number < high_number OR (number = high_number AND upto))
        END, false) IS FALSE) AS wrong
    FROM (SELECT value, label, ${number} AS number FROM "kanon#shown") AS shown
    JOIN "kanon#read" AS read ON read.label = shown.label
