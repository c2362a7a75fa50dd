-- the interval of a number
        FROM (
            WITH "kanon#always" AS (SELECT true)${read}
            SELECT code, label, system.main.dense_rank() OVER (ORDER BY width ASC NULLS LAST) AS layer
            FROM (SELECT code, ${number} AS number FROM ${texts}) AS texts
            JOIN "kanon#read" ON (low_number < number OR (low_number = number AND NOT above))
                AND (number < high_number OR (number = high_number AND upto))
        )
