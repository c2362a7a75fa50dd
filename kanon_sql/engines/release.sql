-- A release as one query. Rows carry the number of their piece; pieces carry the values they show. Slots: see release.py.
WITH ${reads}"kanon#histogram" AS (
    -- one list of all row types, so that kanon_fit sees the whole table in one call
    SELECT list("kanon#h") AS row_types
    FROM (SELECT ${grouped} FROM (SELECT ${columns}, count(*) AS "kanon#n" FROM ${source} GROUP BY ALL)) AS "kanon#h"
), "kanon#pieces" AS MATERIALIZED (
    -- a row type without pieces keeps one empty piece, so that the audit finds it
    SELECT release, row_type, qi, len(pieces) AS parts, generate_subscripts(pieces, 1) AS part, unnest(pieces, max_depth := 2)
    FROM (SELECT * REPLACE (CASE WHEN len(pieces) > 0 THEN pieces ELSE [NULL] END AS pieces) FROM (
        SELECT fit.release AS release, generate_subscripts(row_types, 1) AS row_type, unnest(row_types) AS qi,
               unnest(fit.pieces) AS pieces
        FROM (SELECT row_types, kanon_fit(row_types, ${policy}${tables}) AS fit FROM "kanon#histogram")
    ))
), "kanon#values" AS MATERIALIZED (
    SELECT "kanon#piece",
           CASE WHEN list_contains("kanon#hidden", alias(COLUMNS(* EXCLUDE ("kanon#piece", "kanon#hidden"))))
                THEN ${hidden} ELSE ${shown} END${beside}
    FROM (
        SELECT * EXCLUDE ("kanon#labels", ${counted}${undone})${labels}
        FROM (SELECT piece AS "kanon#piece", hidden AS "kanon#hidden", labels AS "kanon#labels", unnest(qi) FROM "kanon#pieces")
    )
), "kanon#rows" AS MATERIALIZED (
${rows}
), "kanon#classes" AS (
    -- the audit counts the very rows that are handed out, by the values that they show
    -- (by their sort keys: a plain GROUP BY takes 'a' and 'A' for one under a collation that ignores case)
    SELECT sum(n) AS size, bool_or(astray) AS astray
    FROM (
        SELECT create_sort_key(row(*COLUMNS("kanon#v".* EXCLUDE (${unclassed}))), 'ASC NULLS FIRST') AS shown,
               "kanon#c".n AS n, "kanon#v"."kanon#piece" IS NULL AS astray
        FROM (SELECT "kanon#piece" AS piece, count(*) AS n FROM "kanon#rows" GROUP BY ALL) AS "kanon#c"
        LEFT JOIN "kanon#values" AS "kanon#v" ON "kanon#c".piece = "kanon#v"."kanon#piece"
    )
    GROUP BY shown
)${audits}${covers}, "kanon#sums" AS (
    -- the pieces of each row type have to add up to its rows, and no number may occur twice
    SELECT bool_and(given IS NOT DISTINCT FROM needed AND coalesce(least > 0, false))
               AND (SELECT count(DISTINCT piece) = count(*) FROM "kanon#pieces") AS sound,
           sum(needed) AS rows, any_value(release) AS release
    FROM (
        SELECT sum(upto - after) AS given, min(upto - after) AS least, any_value(qi."kanon#n") AS needed,
               any_value(release) AS release
        FROM "kanon#pieces"
        GROUP BY row_type
    )
), "kanon#audit" AS (
    SELECT CASE
        WHEN (SELECT rows FROM "kanon#sums") IS NULL
            THEN true  -- an empty table
        WHEN NOT (SELECT sound FROM "kanon#sums") OR count(*) = 0
            THEN error('kanon audit: the pieces do not add up to the rows of the source; nothing was released')
        WHEN bool_or(astray) OR sum(size) <> (SELECT rows FROM "kanon#sums")
            THEN error('kanon audit: the source gave other rows when it was read again, or a collation takes different texts for one; '
                       'nothing was released; hint: store it as a table first, cast such a column to plain VARCHAR')
        WHEN min(size) < ${least}
            THEN error(format('kanon audit: {} classes have fewer than ${least} rows, the smallest {}; nothing was released',
                              count(*) FILTER (size < ${least}), min(size)))
${refusals}${uncovered}        ELSE kanon_audited((SELECT release FROM "kanon#sums"), count(*), min(size)::BIGINT)
        END AS passed
    FROM "kanon#classes"
)
${names}SELECT ${result}
FROM "kanon#rows" AS "kanon#r"
JOIN "kanon#values" AS "kanon#v" ON "kanon#r"."kanon#piece" = "kanon#v"."kanon#piece"
WHERE (SELECT passed FROM "kanon#audit")
