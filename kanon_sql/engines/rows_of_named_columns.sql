    SELECT "kanon#p".piece AS "kanon#piece", "kanon#s".* REPLACE (${emptied})
    FROM ${source} AS "kanon#s"
    LEFT JOIN (SELECT piece, parts, qi FROM "kanon#pieces" WHERE part = 1) AS "kanon#p" ON ${match}
    WHERE "kanon#p".parts = 1 OR "kanon#p".parts IS NULL
    UNION ALL
    -- row types split between classes: which row goes where follows its other columns, never the order of the rows
    SELECT * REPLACE (${emptied})
    FROM (
        SELECT "kanon#p".piece AS "kanon#piece", system.main.unnest("kanon#o".row)
        FROM (
            SELECT "kanon#p".row_type AS row_type, "kanon#s" AS row,
                   system.main.row_number() OVER (PARTITION BY "kanon#p".row_type ORDER BY "kanon#s") AS place
            FROM ${source} AS "kanon#s"
            JOIN (SELECT row_type, qi FROM "kanon#pieces" WHERE part = 1 AND parts > 1) AS "kanon#p" ON ${match}
        ) AS "kanon#o"
        LEFT JOIN "kanon#pieces" AS "kanon#p"
            ON "kanon#p".row_type = "kanon#o".row_type AND "kanon#o".place > "kanon#p".after AND "kanon#o".place <= "kanon#p".upto
    )
