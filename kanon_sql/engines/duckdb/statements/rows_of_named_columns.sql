"kanon#read" AS MATERIALIZED (
    -- the one reading of the rows that are handed out: each with the number of its class, or, below 1, that of its row type where that is split
    SELECT CAST(CASE WHEN "kanon#p".parts = 1 THEN "kanon#p".class ELSE -"kanon#p".row_type END AS INTEGER) AS "kanon#class",
           "kanon#s".* EXCLUDE (${columns})
    FROM ${source} AS "kanon#s"
    LEFT JOIN (SELECT class, row_type, parts, qi FROM "kanon#pieces" WHERE part = 1) AS "kanon#p" ON ${match}
), "kanon#drawn" AS (
    -- the rows of row types that are split between classes, each with a sort key of what it holds, and the number of its copy
    -- (of values that are equal but look different, 0.0 and -0.0, also of their texts)
    SELECT * EXCLUDE ("kanon#told", "kanon#class"), -"kanon#class" AS "kanon#row_type",
           system.main.row_number() OVER (PARTITION BY "kanon#class", "kanon#content") AS "kanon#copy"
    FROM (
        SELECT *, system.main.create_sort_key(
            system.main.row("kanon#told", CASE WHEN ${unlike} THEN CAST("kanon#told" AS VARCHAR) END), 'ASC NULLS LAST'
        ) AS "kanon#content"
        FROM (
            SELECT * EXCLUDE ("kanon#one"), system.main.row(*COLUMNS(* EXCLUDE ("kanon#class"${position}))) AS "kanon#told"
            FROM (SELECT *, true AS "kanon#one" FROM "kanon#read" WHERE "kanon#class" < 1)
        )
    )
), "kanon#divided" AS MATERIALIZED (
    -- which of them goes where follows a keyed hash: nobody can tell it from what they hold, or from their order
    SELECT CAST("kanon#p".class AS INTEGER) AS "kanon#class",
           "kanon#o".* EXCLUDE ("kanon#row_type", "kanon#content", "kanon#copy", "kanon#place")
    FROM (
        SELECT "kanon#d".*, system.main.row_number() OVER (
            PARTITION BY "kanon#d"."kanon#row_type"
            ORDER BY system.main.kanon_keyed_hash(system.main.create_sort_key(
                system.main.row("kanon#q".qi, "kanon#content", "kanon#copy"), 'ASC NULLS LAST'
            )) ASC NULLS LAST
        ) AS "kanon#place"
        FROM "kanon#drawn" AS "kanon#d"
        JOIN (SELECT row_type, qi FROM "kanon#fitted" WHERE part = 1 AND parts > 1) AS "kanon#q"
            ON "kanon#q".row_type = "kanon#d"."kanon#row_type"
    ) AS "kanon#o"
    LEFT JOIN (FROM "kanon#numbered" WHERE parts > 1) AS "kanon#p"
        ON "kanon#p".row_type = "kanon#o"."kanon#row_type" AND "kanon#place" > "kanon#p".after AND "kanon#place" <= "kanon#p".upto
), "kanon#rows" AS NOT MATERIALIZED (
    -- those of no class too, which the audit finds
    FROM "kanon#read" WHERE ("kanon#class" < 1) IS NOT TRUE
    UNION ALL
    FROM "kanon#divided"
)
