    -- t-closeness on a line: sum over the gaps between neighbours of |rows * (class up to there) - size * (table up to there)|.
    -- From one value of a class to its next the first product stays and the second grows; where they cross is looked up,
    -- and sums over a stretch are differences of sums from the start: a class takes as many steps as it has values.
    SELECT class, CASE WHEN known THEN work * ${unit} <= ${t} * range * rows * size END AS holds,
           work::DOUBLE / system.main.nullif(range * rows * size, 0) AS badness,
           system.main.format('the worst is at a distance of {:.6f}', badness) AS figure
    FROM (
        WITH "kanon#steps" AS MATERIALIZED (
            SELECT value, position, system.main.row_number() OVER line AS place, system.main.sum(total)
                OVER (line ROWS UNBOUNDED PRECEDING) AS upto,
                   system.main.lead(position, 1, position) OVER line - position AS gap
            FROM (SELECT value, ${position} AS position, system.main.sum(n) AS total FROM ${tally} GROUP BY value, label)
            WINDOW line AS (ORDER BY position ASC NULLS LAST, value ASC NULLS LAST)
        ), "kanon#places" AS MATERIALIZED (
            SELECT * REPLACE (gap // common AS gap)
            FROM "kanon#steps",
                 (SELECT system.main.greatest(1,
                                              system.main.list_reduce(system.main.list(gap),
                                                  lambda one, other: system.main.gcd(one, other))) AS common FROM "kanon#steps")
        ), "kanon#line" AS MATERIALIZED (
            SELECT *, coalesce(system.main.sum(gap) OVER before, 0) AS lengths,
                   coalesce(system.main.sum(gap * upto) OVER before, 0) AS areas
            FROM "kanon#places"
            WINDOW before AS (ORDER BY place ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
        ), "kanon#whole" AS MATERIALIZED (
            SELECT system.main.max(upto) AS rows, system.main.max(place) AS last, system.main.sum(gap) AS range,
                   system.main.count(*) = system.main.count(gap) AS known FROM "kanon#places"
        )
        SELECT class, system.main.any_value(whole.known) AS known, system.main.any_value(whole.rows) AS rows,
               system.main.any_value(whole.range) AS range, size,
               -- before its first value a class has no rows at all
               size * system.main.min(here.areas) + system.main.sum(
                   share * (turn.lengths - here.lengths) - size * (turn.areas - here.areas)
                   + size * (next.areas - turn.areas) - share * (next.lengths - turn.lengths)
               ) AS work
        FROM (
            SELECT class, place, next, size, share, system.main.greatest(place, system.main.least(next, crossed + 1)) AS turn
            FROM (
                -- the places that the table has reached by then, counted along both at once
                -- (neither an ASOF join nor FILTER: both may take quadratic time)
                SELECT *, system.main.count(CASE WHEN class IS NULL THEN 1 END)
                              OVER (ORDER BY reached ASC NULLS LAST, class ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS crossed
                FROM (
                    SELECT class, place, next, size, share, share // size AS reached
                    FROM (
                        SELECT class, place, size,
                               rows * system.main.sum(n) OVER (PARTITION BY class ORDER BY place ASC NULLS LAST) AS share,
                               system.main.lead(place, 1, last) OVER (PARTITION BY class ORDER BY place ASC NULLS LAST) AS next
                        FROM (SELECT class, value, n, system.main.sum(n) OVER (PARTITION BY class) AS size FROM ${tally})
                        JOIN "kanon#places" USING (value)
                        CROSS JOIN "kanon#whole"
                    )
                    UNION ALL
                    SELECT NULL, NULL, NULL, NULL, NULL, upto FROM "kanon#places"
                )
            )
            WHERE class IS NOT NULL
        ) AS stretch
        JOIN "kanon#line" AS here ON here.place = stretch.place
        JOIN "kanon#line" AS turn ON turn.place = stretch.turn
        JOIN "kanon#line" AS next ON next.place = stretch.next
        CROSS JOIN "kanon#whole" AS whole
        GROUP BY class, size
    )
