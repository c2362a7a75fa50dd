    -- a person is counted once; the rows of each have to be in one base cell, else counts of people do not add up
    SELECT ${keys}, system.main.count(*) AS "kanon#people"${measures}
    FROM (
        SELECT *, system.main.count(*) OVER (PARTITION BY "kanon#person") AS "kanon#places"
        FROM (
            SELECT ${keys}, "kanon#person"${added}
            FROM "kanon#source"
            WHERE "kanon#person" IS NOT NULL
            GROUP BY ${keys}, "kanon#person"
        )
    )
    WHERE CASE WHEN "kanon#places" = 1 THEN true ELSE system.main.error('kanon audit: a person has rows with different keys, so counts '
        'of people do not add up; nothing was released; hint: keep one row for each person, or use keys that do not change') END
    GROUP BY ALL
