            SELECT "kanon#piece",
                   coalesce(CASE WHEN system.main.list_contains("kanon#piece".hidden, system.main.alias(${value}))
                                 THEN ${hidden} ELSE ${shown} END, ${unlisted})
            FROM (
                SELECT * EXCLUDE (${unseen})${labels}
                FROM (SELECT "kanon#p" AS "kanon#piece", system.main.unnest(qi) FROM (${pieces}) AS "kanon#p")
            )
