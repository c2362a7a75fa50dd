, "kanon#coded" AS MATERIALIZED (
    -- what the rows of each class show, as a number for each value; a class without values fails below
    SELECT class, size, ${ranks}
    FROM (
        SELECT class, size, ${keys}
        FROM (SELECT class, class AS "kanon#class", size FROM "kanon#classes") LEFT JOIN "kanon#values" USING ("kanon#class")
    )
)
