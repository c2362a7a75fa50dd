-- ladder_of_levels(): the CTEs of the ladder, codes and masks of masks with levels.

system.main.format(
    '"kanon asked" AS MATERIALIZED (
         SELECT mask, place, kind, system.main.list_sort(system.main.list_distinct(steps), ''ASC'', ''NULLS LAST'') AS steps,
                top, bottom, "only", cuts
         FROM (VALUES {0}) AS asked(mask, place, kind, steps, top, bottom, "only", cuts)
         QUALIFY CASE
             WHEN system.main.count(*) OVER (PARTITION BY mask, place) > 1 THEN system.main.error(''kanon: a mask names a column twice'')
             WHEN kind <> ''DIGITS'' AND asked.steps <> system.main.list_sort(system.main.list_distinct(asked.steps), ''ASC'', ''NULLS LAST'')
             THEN system.main.error(''kanon: the widths of intervals must ascend (write age IN INTERVALS (5, 10))'')
             WHEN cuts <> system.main.list_sort(system.main.list_distinct(cuts), ''ASC'', ''NULLS LAST'')
             THEN system.main.error(''kanon: cuts must ascend (write age IN CUTS (18, 65))'')
             WHEN system.main.list_aggregate(cuts, ''max'') > top OR system.main.list_aggregate(cuts, ''min'') <= bottom
             THEN system.main.error(''kanon: cuts must be above BOTTOM and at most TOP (write age IN CUTS (18, 65) TOP 90 BOTTOM 5)'')
             ELSE true
         END
     ),
     -- The texts of the columns with levels.
     "kanon texts" AS MATERIALIZED (
         SELECT place, cell, CASE WHEN cell <> ''''::BLOB THEN system.main.substring(system.main.decode(cell), 2) END AS text,
                system.main.sum(size) AS size
         FROM (
             SELECT system.main.unnest({4}), system.main.unnest(system.main.list_transform({4}, lambda place:
                        system.main.list_extract(cells, system.main.add(place, 1)))), size
             FROM "kanon types"
         ) AS cells(place, cell, size)
         GROUP BY 1, 2
     ),
     -- The levels of a column are those of all masks together; "partly" tells whether masks differ in them. Widths, ends and
     -- cuts are whole numbers, of as many decimals as the finest has.
     "kanon recodings" AS MATERIALIZED (
         SELECT place, kind, partly, every, steps, decimals, longest, "values",
                CASE kind WHEN ''DIGITS'' THEN every OR system.main.list_aggregate(steps, ''max'') >= longest
                    ELSE NOT "only" AND top IS NULL AND bottom IS NULL END AS exact,
                system.main.list_transform(steps, lambda step: @scaled(step)) AS widths,
                system.main.list_transform(cuts, lambda step: @scaled(step)) AS cuts,
                @scaled(top) AS top,
                @scaled(bottom) AS bottom
         FROM (
             SELECT *, system.main.list_aggregate(system.main.list_transform(
                           system.main.list_concat(steps, system.main.list_concat(cuts, system.main.list_value(top, bottom))),
                           lambda step: system.main.length(system.main.rtrim(system.main.right(step::VARCHAR, 18), ''0''))),
                           ''max'') AS decimals
             FROM (
                 SELECT place, system.main.count(DISTINCT system.main.row(steps, "only")) > 1 AS partly,
                        system.main.bool_or(system.main.len(steps) = 0) AS every, system.main.bool_and("only") AS "only",
                        system.main.list_sort(system.main.list_distinct(system.main.flatten(system.main.list(steps))),
                            ''ASC'', ''NULLS LAST'') AS steps,
                        CASE WHEN system.main.count(DISTINCT system.main.row(top, bottom)) > 1
                            THEN system.main.error(''kanon: masks have other ends for a column (write the same TOP and BOTTOM in each)'')
                            ELSE system.main.min(top) END AS top, system.main.min(bottom) AS bottom,
                        coalesce(system.main.max(cuts) FILTER (kind = ''CUTS''), system.main.list_value()) AS cuts,
                        CASE WHEN system.main.count(DISTINCT kind) FILTER (kind <> ''ENDS'') > 1
                                OR system.main.count(DISTINCT cuts) FILTER (kind = ''CUTS'') > 1
                            THEN system.main.error(''kanon: masks have levels of two kinds for a column (give it one)'')
                            ELSE coalesce(system.main.max(kind) FILTER (kind <> ''ENDS''), ''INTERVALS'') END AS kind
                 FROM "kanon asked" WHERE kind <> '''' GROUP BY place
             ) AS asked
         ) AS recodings
         JOIN (
             SELECT place, coalesce(system.main.max(system.main.length(text)), 0), system.main.count(*) FROM "kanon texts" GROUP BY place
         ) AS texts(key, longest, "values") ON key = place
     ),
     @numbers_read({3})
     @labels({3})
     -- The share of the other values of its column that a label also stands for, on the average row: in thousandths, rounded to even.
     "kanon counted" AS MATERIALIZED (
         SELECT place, rung, labels, system.main.add(share, CASE
                    WHEN system.main.multiply(rest, 2) > least THEN 1
                    WHEN system.main.multiply(rest, 2) = least THEN system.main.mod(share, 2)
                    ELSE 0
                END) AS share
         FROM (
             SELECT place, rung, labels, least, system.main.divide(covered, least) AS share, system.main.mod(covered, least) AS rest
             FROM (
                 SELECT place, rung, system.main.count(*) AS labels, system.main.sum(covered) AS covered,
                        system.main.greatest(1, system.main.multiply(system.main.sum(size), system.main.subtract(
                            system.main.sum(same), 1))) AS least
                 FROM (
                     SELECT place, rung, system.main.count(*) AS same, system.main.sum(size) AS size,
                            system.main.multiply(system.main.multiply(system.main.sum(size), system.main.subtract(
                                system.main.count(*), 1)), 1000) AS covered
                     FROM "kanon labels" GROUP BY place, rung, label
                 ) AS labels
                 GROUP BY place, rung
             ) AS rungs
         ) AS rungs
     ),
     -- The levels that a release may show, of each column the finest first, and what they lose in thousandths of a cell. One that
     -- tells as much as the level before is left out where no mask names it.
     "kanon ladder" AS MATERIALIZED (
         SELECT system.main.subtract(system.main.row_number() OVER (ORDER BY place ASC NULLS LAST, rung ASC NULLS LAST), 1) AS position,
                place, rung, loss,
                CASE WHEN system.main.count(*) OVER () > 12 THEN system.main.error(
                    system.main.concat(''kanon: the quasi-identifiers have '',
                    system.main.count(*) OVER (), '' levels, and at most 12 without Python (list fewer: zip IN DIGITS (5, 3); or ''
                    ''release with the Python package kanon-sql)'')) END AS many
         FROM (
             SELECT place, 0 AS rung, 0 AS loss FROM system.main.range({2}) AS columns(place)
             WHERE NOT system.main.list_contains({4}, place)
             UNION ALL
             SELECT place, rung, CASE WHEN free THEN 0 ELSE system.main.least(system.main.greatest(grade, system.main.add(grade,
                        system.main.max(system.main.subtract(share, grade)) OVER (
                            PARTITION BY place, free ORDER BY grade ASC NULLS LAST))),
                        system.main.subtract(system.main.add(999, grade), system.main.max(grade) OVER (PARTITION BY place))) END
             FROM (
                 SELECT place, rung, share, free, CASE WHEN free THEN 0 ELSE system.main.row_number() OVER (
                            PARTITION BY place, free ORDER BY rung ASC NULLS LAST) END AS grade
                 FROM (
                     SELECT counted.place, counted.rung, share, partly, exact, labels, system.main.lag(labels) OVER below AS finer,
                            counted.rung = 0 OR (NOT exact AND NOT partly AND counted.rung = 1
                                AND labels = system.main.lag(labels) OVER below)
                                AS free
                     FROM "kanon counted" AS counted JOIN "kanon recodings" AS recodings ON recodings.place = counted.place
                     WINDOW below AS (PARTITION BY counted.place ORDER BY counted.rung ASC NULLS LAST)
                 ) AS rungs
                 WHERE CASE WHEN rung = 0 THEN exact ELSE partly OR free OR labels < finer END
             ) AS rungs
         ) AS ladder
     ),
     -- The number of each label on its rung, or of each value in a column without levels.
     "kanon codes" AS MATERIALIZED (
         SELECT type, position, system.main.dense_rank() OVER (PARTITION BY position ORDER BY
                    CASE WHEN labels.place IS NULL THEN cells.cell ELSE label END ASC NULLS LAST) AS code
         FROM (
             SELECT type, system.main.unnest(cells), system.main.unnest(system.main.range({2})) FROM "kanon types"
         ) AS cells(type, cell, place)
         JOIN "kanon ladder" AS ladder ON ladder.place = cells.place
         LEFT JOIN "kanon labels" AS labels ON labels.place = cells.place AND labels.rung = ladder.rung AND labels.cell = cells.cell
         WHERE many IS NULL
     ),
     -- Each way to show a column under a mask: a level with all that are coarser, or none of them.
     "kanon choices" AS MATERIALIZED (
         SELECT asked.mask, asked.place, loss, (
                    SELECT system.main.list(coarser.position ORDER BY coarser.position ASC NULLS LAST) FROM "kanon ladder" AS coarser
                    WHERE coarser.place = ladder.place AND coarser.rung >= ladder.rung) AS shown
         FROM "kanon asked" AS asked
         JOIN "kanon ladder" AS ladder ON ladder.place = asked.place
         LEFT JOIN "kanon recodings" AS recodings ON recodings.place = asked.place
         LEFT JOIN "kanon rungs" AS rungs ON rungs.place = ladder.place AND rungs.rung = ladder.rung
         WHERE asked.kind = '''' OR NOT partly OR system.main.len(asked.steps) = 0 OR CASE
             WHEN ladder.rung > 0 THEN system.main.list_contains(asked.steps, rungs.step)
             WHEN asked.kind = ''DIGITS'' THEN system.main.list_aggregate(asked.steps, ''max'') >= longest
             ELSE NOT asked."only"
         END
         UNION ALL
         SELECT mask, place, 1000, system.main.list_value()::BIGINT[]
         FROM system.main.range({1}) AS masks(mask), system.main.range({2}) AS columns(place)
         WHERE NOT EXISTS (FROM "kanon asked" AS asked WHERE asked.mask = masks.mask AND asked.place = columns.place)
     ),
     "kanon masks" AS MATERIALIZED (
         SELECT system.main.row_number() OVER (ORDER BY hidden ASC NULLS LAST, shown DESC NULLS LAST) AS mask, shown, hidden
         FROM (
             WITH RECURSIVE masks(place, mask, shown, hidden) AS (
                 SELECT 0::BIGINT, mask, system.main.list_value()::BIGINT[], 0::BIGINT FROM system.main.range({1}) AS masks(mask)
                 UNION ALL
                 SELECT system.main.add(masks.place, 1), masks.mask, system.main.list_concat(masks.shown, choices.shown),
                        system.main.add(masks.hidden, choices.loss)
                 FROM masks JOIN "kanon choices" AS choices ON choices.mask = masks.mask AND choices.place = masks.place
             )
             SELECT DISTINCT shown, hidden FROM masks WHERE place = {2}
         ) AS masks
     )',
    -- {0} the columns of each mask, {1} how many masks, {2} how many columns, {3} their names, {4} those with levels
    system.main.list_aggregate(system.main.flatten(system.main.list_transform(system.main.struct_extract(given, 'masks'),
        lambda mask, number: system.main.list_transform(mask, lambda shown: system.main.format(
            '({}::BIGINT, {}::BIGINT, ''{}'', ''[{}]''::DECIMAL(36, 18)[], {}::DECIMAL(36, 18), {}::DECIMAL(36, 18), {}, '
            '''[{}]''::DECIMAL(36, 18)[])',
            system.main.subtract(number, 1), system.main.struct_extract(shown, 'place'), system.main.struct_extract(shown, 'kind'),
            coalesce(system.main.list_aggregate(system.main.struct_extract(shown, 'steps'), 'string_agg', ', '), ''),
            coalesce(system.main.list_extract(system.main.struct_extract(shown, 'ends'), 1), 'NULL'),
            coalesce(system.main.list_extract(system.main.struct_extract(shown, 'ends'), 2), 'NULL'),
            system.main.struct_extract(shown, 'only'),
            coalesce(system.main.list_aggregate(system.main.struct_extract(shown, 'cuts'), 'string_agg', ', '), ''))))),
        'string_agg', ', '),
    system.main.len(system.main.struct_extract(given, 'masks')),
    coalesce(system.main.len(qi::VARCHAR[]), 0),
    coalesce(system.main.format('system.main.list_value({})', system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
        lambda name: system.main.concat('''', system.main.replace(name, '''', ''''''), '''')), 'string_agg', ', ')), ''),
    system.main.format('''{}''::BIGINT[]', system.main.struct_extract(given, 'levelled')::VARCHAR))
