SELECT * EXCLUDE ("kanon#n", "kanon#copy")
FROM (
    SELECT *, system.main.unnest(system.main.range("kanon#n")) AS "kanon#copy"
    FROM (
        -- the order reveals nothing about suppressed cells: it follows from the released values
        SELECT "kanon#v".* EXCLUDE ("kanon#class")${kept}, "kanon#n"
        FROM "kanon#rows" AS "kanon#r"
        JOIN "kanon#values" AS "kanon#v" USING ("kanon#class")
        ORDER BY ${order} ASC NULLS LAST
    )
)
WHERE (SELECT passed FROM "kanon#audit")
