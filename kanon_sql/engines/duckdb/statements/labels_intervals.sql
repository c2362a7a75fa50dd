-- the interval of a number
        FROM (
            WITH "kanon#always" AS (SELECT true)${read}
            SELECT code, label, system.main.dense_rank() OVER (ORDER BY width ASC NULLS LAST) AS layer
            FROM (SELECT code, ${number} AS number FROM ${texts}) AS texts
            JOIN (SELECT *, TRY_CAST(high AS DOUBLE) - TRY_CAST(low AS DOUBLE) AS width FROM "kanon#read") AS read
                ON low_number <= number AND (number < high_number OR (closed AND number = high_number))
        )
