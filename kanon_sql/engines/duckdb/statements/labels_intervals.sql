-- the interval of a number
        FROM (
            WITH "kanon#always" AS (SELECT true)${read}
            SELECT code, label
            FROM (SELECT code, ${number} AS number FROM ${texts}) AS texts
            JOIN "kanon#read" AS read
                ON low_number <= number AND (number < high_number OR (closed AND number = high_number))
        )
