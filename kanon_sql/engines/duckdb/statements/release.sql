-- A release as one query. Rows carry the number of their class; classes carry the values they show. Slots: see release.py.
WITH ${reads}${run}, "kanon#types" AS MATERIALIZED (
${histogram}
    -- nothing is released where a macro of the database takes the place of a function behind the syntax of this text
    WHERE ${unshadowed}
)${populations}${before_search}, "kanon#fit" AS MATERIALIZED (
    -- columns that single people out are refused before the search: the call needs their counts
    SELECT run, row_types, CASE WHEN found.refused IS NULL THEN found.release ELSE system.main.error(found.refused) END AS release${fit_words}
    FROM (
        SELECT run, row_types, system.main.kanon_fit(run, row_types, ${singled}${tables}) AS found
        FROM (SELECT run, (SELECT system.main.count(*) FROM "kanon#types") AS row_types FROM "kanon#run")
    )
), "kanon#fitted" AS MATERIALIZED (
    -- a row type without pieces keeps one empty piece, so that the audit finds it
    SELECT release, row_type, qi, system.main.len(pieces) AS parts,
           system.main.unnest(system.main.generate_series(1, system.main.len(pieces))) AS part,
           system.main.unnest(pieces, max_depth := 2)
    FROM (SELECT * REPLACE (CASE WHEN system.main.len(pieces) > 0 THEN pieces ELSE [NULL] END AS pieces) FROM (
        SELECT release, number AS row_type, qi, system.main.kanon_pieces(run, number) AS pieces
        FROM "kanon#types", "kanon#fit"
        -- all of them; by this the planner expects fewer, and does not take the rows of the source into memory to find them
        WHERE number IN (SELECT system.main.unnest(system.main.range(row_types)) FROM "kanon#fit")
    ))
), "kanon#numbered" AS MATERIALIZED (
    -- each piece without its values, and its class: the pieces that show the same
    -- (by their sort keys: a plain comparison takes 'a' and 'A' for one under a collation that ignores case)
    SELECT * EXCLUDE ("kanon#key"), system.main.dense_rank() OVER (ORDER BY "kanon#key" ASC NULLS LAST) AS class
    FROM (
        SELECT ${numbers},
               system.main.create_sort_key(system.main.row(*COLUMNS(* EXCLUDE (${unclassed}))), 'ASC NULLS FIRST') AS "kanon#key"
        FROM (
${shown_by_pieces}        )
    )
), "kanon#pieces" AS ${kept_pieces} (
    -- grouped, so that the planner knows of one class for each piece: it would expect the square of their number
    SELECT "kanon#f".*, class FROM "kanon#fitted" AS "kanon#f"
    LEFT JOIN (SELECT piece, system.main.min(class) AS class FROM "kanon#numbered" GROUP BY piece) AS "kanon#c"
        ON "kanon#c".piece = "kanon#f".piece
), "kanon#values" AS NOT MATERIALIZED (
    -- what each class shows
    SELECT "kanon#piece".class AS "kanon#class", * EXCLUDE ("kanon#piece")
    FROM (
${shown_by_classes}    )
), ${rows}, "kanon#classes" AS (
    -- the audit counts the very rows that are handed out, by what they show
    SELECT "kanon#class" AS class, ${number} AS size FROM "kanon#rows" GROUP BY ALL
)${audits}${matches}${known}${covers}${exposed}, "kanon#sums" AS (
    -- the pieces of each row type have to add up to its rows, and no number may occur twice
    SELECT system.main.bool_and(given IS NOT DISTINCT FROM needed AND coalesce(least > 0, false))
               AND (SELECT system.main.count(DISTINCT piece) = system.main.count(*) FROM "kanon#fitted") AS sound,
           system.main.sum(needed) AS rows, system.main.any_value(release) AS release
    FROM (
        SELECT system.main.sum(upto - after) AS given, system.main.min(upto - after) AS least,
               system.main.any_value(qi."kanon#n") AS needed, system.main.any_value(release) AS release
        FROM "kanon#fitted"
        GROUP BY row_type
    )
), "kanon#met" AS (
    -- each class has just the rows of its pieces, no row is in no class
    SELECT system.main.bool_and(size IS NOT DISTINCT FROM given) AS met
    FROM "kanon#classes"
    FULL JOIN (SELECT class, system.main.sum(upto - after) AS given FROM "kanon#numbered" GROUP BY class) USING (class)
), "kanon#audit" AS (
    -- one level, so that the planner still knows of one row: the order of the release rests on that
    SELECT CASE WHEN refused IS NULL THEN true ELSE system.main.error(refused) END AS passed FROM (SELECT CASE
        WHEN (SELECT rows FROM "kanon#sums") IS NULL
            THEN NULL  -- an empty table
        WHEN NOT (SELECT sound FROM "kanon#sums") OR system.main.count(*) = 0
            THEN system.main.error('kanon audit: the pieces do not add up to the rows of the source; nothing was released')
        WHEN (SELECT met FROM "kanon#met") IS DISTINCT FROM true OR system.main.bool_or(class IS NULL)
            THEN system.main.error('kanon audit: the source returned different rows when it was read again, or a collation takes different '
                                   'texts for one; nothing was released; hint: store it as a table first, cast such a column to '
                                   'plain VARCHAR')
        WHEN system.main.min(size) < ${least}
            THEN system.main.error(system.main.format(
                'kanon audit: {} fewer than ${least} rows, the smallest {}; nothing was released',
                CASE system.main.count(*) FILTER (size < ${least}) WHEN 1 THEN '1 class has'
                     ELSE system.main.format('{} classes have', system.main.count(*) FILTER (size < ${least})) END,
                system.main.min(size)))
${refusals}${unmatched}${unknown}${uncovered}
    ELSE system.main.kanon_audited((SELECT release FROM "kanon#sums"), system.main.count(*), system.main.min(size)::BIGINT,
                                   ${people}, ${exposed_figures}, ${known_figures})
        END AS refused
    FROM "kanon#classes")
)${linked}
${names}${result}
