-- A release as one query. Rows carry the number of their piece; pieces carry the values they show. Slots: see release.py.
WITH ${reads}"kanon#histogram" AS (
    -- one list of all row types, so that kanon_fit sees the whole table in one call
    SELECT system.main.list("kanon#h") AS row_types
    FROM (SELECT ${grouped}
          FROM (SELECT ${columns}, system.main.count(*) AS "kanon#n" FROM ${source} GROUP BY ALL)) AS "kanon#h"
    -- nothing is released where a macro of the database takes the place of a function behind the syntax of this text
    WHERE ${unshadowed}
), "kanon#pieces" AS MATERIALIZED (
    -- a row type without pieces keeps one empty piece, so that the audit finds it
    SELECT release, row_type, qi, system.main.len(pieces) AS parts,
           system.main.unnest(system.main.generate_series(1, system.main.len(pieces))) AS part,
           system.main.unnest(pieces, max_depth := 2)
    FROM (SELECT * REPLACE (CASE WHEN system.main.len(pieces) > 0 THEN pieces ELSE [NULL] END AS pieces) FROM (
        SELECT fit.release AS release, system.main.unnest(row_types) AS qi, system.main.unnest(fit.pieces) AS pieces,
               system.main.unnest(system.main.generate_series(1, system.main.len(row_types))) AS row_type
        FROM (SELECT row_types, system.main.kanon_fit(row_types, ${policy}${tables}) AS fit FROM "kanon#histogram")
    ))
), "kanon#values" AS MATERIALIZED (
    SELECT "kanon#piece",
           CASE WHEN system.main.list_contains("kanon#hidden",
                                               system.main.alias(COLUMNS(* EXCLUDE ("kanon#piece", "kanon#hidden"))))
                THEN ${hidden} ELSE ${shown} END${beside}
    FROM (
        SELECT * EXCLUDE ("kanon#labels", ${counted}${undone})${labels}
        FROM (SELECT piece AS "kanon#piece", hidden AS "kanon#hidden", labels AS "kanon#labels", system.main.unnest(qi)
              FROM "kanon#pieces")
    )
), "kanon#rows" AS MATERIALIZED (
${rows}
), "kanon#classes" AS (
    -- the audit counts the very rows that are handed out, by the values that they show
    -- (by their sort keys: a plain GROUP BY takes 'a' and 'A' for one under a collation that ignores case)
    SELECT system.main.sum(n) AS size, system.main.bool_or(astray) AS astray
    FROM (
        SELECT system.main.create_sort_key(system.main.row(*COLUMNS("kanon#v".* EXCLUDE (${unclassed}))), 'ASC NULLS FIRST')
            AS shown,
               "kanon#c".n AS n, "kanon#v"."kanon#piece" IS NULL AS astray
        FROM (SELECT "kanon#piece" AS piece, system.main.count(*) AS n FROM "kanon#rows" GROUP BY ALL) AS "kanon#c"
        LEFT JOIN "kanon#values" AS "kanon#v" ON "kanon#c".piece = "kanon#v"."kanon#piece"
    )
    GROUP BY shown
)${audits}${covers}, "kanon#sums" AS (
    -- the pieces of each row type have to add up to its rows, and no number may occur twice
    SELECT system.main.bool_and(given IS NOT DISTINCT FROM needed AND coalesce(least > 0, false))
               AND (SELECT system.main.count(DISTINCT piece) = system.main.count(*) FROM "kanon#pieces") AS sound,
           system.main.sum(needed) AS rows, system.main.any_value(release) AS release
    FROM (
        SELECT system.main.sum(upto - after) AS given, system.main.min(upto - after) AS least,
               system.main.any_value(qi."kanon#n") AS needed,
               system.main.any_value(release) AS release
        FROM "kanon#pieces"
        GROUP BY row_type
    )
), "kanon#audit" AS (
    SELECT CASE
        WHEN (SELECT rows FROM "kanon#sums") IS NULL
            THEN true  -- an empty table
        WHEN NOT (SELECT sound FROM "kanon#sums") OR system.main.count(*) = 0
            THEN system.main.error('kanon audit: the pieces do not add up to the rows of the source; nothing was released')
        WHEN system.main.bool_or(astray) OR system.main.sum(size) <> (SELECT rows FROM "kanon#sums")
            THEN system.main.error('kanon audit: the source gave other rows when it was read again, or a collation takes different texts for one; '
                       'nothing was released; hint: store it as a table first, cast such a column to plain VARCHAR')
        WHEN system.main.min(size) < ${least}
            THEN system.main.error(system.main.format('kanon audit: {} classes have fewer than ${least} rows, the smallest {}; nothing was released',
                              system.main.count(*) FILTER (size < ${least}), system.main.min(size)))
${refusals}${uncovered}
    ELSE system.main.kanon_audited((SELECT release FROM "kanon#sums"), system.main.count(*), system.main.min(size)::BIGINT)
        END AS passed
    FROM "kanon#classes"
)
${names}SELECT ${result}
FROM "kanon#rows" AS "kanon#r"
JOIN "kanon#values" AS "kanon#v" ON "kanon#r"."kanon#piece" = "kanon#v"."kanon#piece"
WHERE (SELECT passed FROM "kanon#audit")
