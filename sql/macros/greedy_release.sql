-- greedy_release(tbl, k, qi, masks, keep, unlisted_limit, per_row, sa, guarantee): what k_anonymize, pattern_guided, l_diversify and t_close release.
--
-- It is not to be called itself. The first arguments are those of k_anonymize, and none has a default.
--   sa          VARCHAR   the sensitive column, or NULL
--   guarantee   VARCHAR   what every class has to keep beside k, as a condition in SQL; NULL without sa. It may ask for, of a class,
--                         size, its rows; counts, how many have each of its values; places, the numbers of these values in their order
--                         in the table; held, the rows of the table with them; and for "rows" and different, the rows and values of the
--                         table, and below, how many rows have a value of at most each number.
--
-- With a guarantee, a class of the greedy takes its rows only if it keeps the guarantee. A row type that is left over takes the cheapest
-- class with which it keeps it. Those that have none become one class that shows nothing, and it takes the largest classes until it
-- keeps the guarantee. Where two classes keep one of these guarantees, both together do.
CREATE OR REPLACE MACRO greedy_release(tbl, k, qi, masks, keep, unlisted_limit, per_row, sa, guarantee) AS TABLE
FROM system.main.query(system.main.list_extract(system.main.list_transform(system.main.list_transform(system.main.list_value(
    -- The masks, or NULL: of each column that one names the place in qi; DIGITS, INTERVALS, PERIODS or CUTS; these levels as a list, where
    -- 0 is the numbers between the ends, and CUTS are 1; whether no value is shown; the ends, and the cuts.
    CASE
        WHEN masks IS NULL OR qi IS NULL THEN NULL
        WHEN system.main.len(masks::VARCHAR[][]) = 0 THEN system.main.error('kanon: masks is an empty list')
        ELSE system.main.list_transform(masks::VARCHAR[][], lambda mask: CASE
            WHEN mask IS NULL THEN system.main.error('kanon: masks holds NULL instead of a list of columns')
            ELSE system.main.list_transform(system.main.list_transform(system.main.list_transform(mask, lambda shown:
                system.main.regexp_extract(shown, '(?is)^(.+?)(?:\s+IN\s+(DIGITS|INTERVALS|CUTS|HIERARCHY|BINS|REGIONS|RECTANGLES|RANGES|SETS|'
                    'MEANS|MEDIANS)\b(?:\s*(ONLY)\b)?(.*?))?((?:\s+(?:TOP|BOTTOM)\s+-?\s*[0-9._]+)+\s*)?$',
                    system.main.list_value('name', 'kind', 'only', 'levels', 'ends'))),
                lambda shown: system.main.struct_pack(
                place := coalesce(
                    system.main.subtract(system.main.nullif(system.main.list_position(
                        system.main.list_transform(qi::VARCHAR[], lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
                        system.main.translate(system.main.struct_extract(shown, 'name'), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')), 0), 1),
                    system.main.error('kanon: a mask names a column that is not in qi'))::BIGINT,
                kind := CASE system.main.upper(system.main.struct_extract(shown, 'kind'))
                    WHEN '' THEN CASE WHEN system.main.struct_extract(shown, 'ends') = '' THEN '' ELSE 'ENDS' END
                    WHEN 'DIGITS' THEN CASE
                        WHEN system.main.struct_extract(shown, 'ends') = '' AND system.main.struct_extract(shown, 'only') = '' THEN 'DIGITS'
                        ELSE system.main.error('kanon: DIGITS in a mask has no TOP, BOTTOM or ONLY (use these with INTERVALS or CUTS)') END
                    WHEN 'INTERVALS'
                    THEN CASE WHEN system.main.regexp_matches(system.main.struct_extract(shown, 'levels'), '(?i)[a-z]')
                        THEN 'PERIODS' ELSE 'INTERVALS' END
                    WHEN 'CUTS' THEN 'CUTS'
                    ELSE system.main.error('kanon: a mask has levels other than DIGITS, INTERVALS, CUTS, TOP and BOTTOM '
                        '(use these, or release with the Python package kanon-sql)')
                END,
                "only" := system.main.struct_extract(shown, 'only') <> '',
                levels := system.main.struct_extract(shown, 'levels'),
                ends := system.main.list_transform(system.main.list_value('TOP', 'BOTTOM'), lambda word: system.main.list_transform(
                    system.main.regexp_extract_all(system.main.upper(system.main.struct_extract(shown, 'ends')),
                        system.main.concat('\b', word, '\s+(-?\s*[0-9._]+)'), 1), lambda number: @mask_number(number))))),
                lambda shown: system.main.struct_pack(
                    place := system.main.struct_extract(shown, 'place'), kind := system.main.struct_extract(shown, 'kind'),
                    "only" := system.main.struct_extract(shown, 'only'),
                    ends := CASE
                        WHEN system.main.len(system.main.list_filter(system.main.struct_extract(shown, 'ends'), lambda found:
                            system.main.len(found) > 1)) > 0
                        THEN system.main.error('kanon: a mask has TOP or BOTTOM twice (write age TOP 90 BOTTOM 18)')
                        WHEN system.main.struct_extract(shown, 'kind') = 'PERIODS' AND system.main.len(system.main.list_filter(
                            system.main.flatten(system.main.struct_extract(shown, 'ends')), lambda found:
                            found::DECIMAL(36, 18) <> system.main.trunc(found::DECIMAL(36, 18)) OR found::DECIMAL(36, 18) NOT BETWEEN 1 AND 9999)) > 0
                        THEN system.main.error('kanon: TOP and BOTTOM of dates are years (write born IN INTERVALS (year) BOTTOM 1936)')
                        WHEN system.main.list_extract(system.main.list_extract(system.main.struct_extract(shown, 'ends'), 1), 1)::DECIMAL(36, 18)
                            <= system.main.list_extract(system.main.list_extract(system.main.struct_extract(shown, 'ends'), 2), 1)::DECIMAL(36, 18)
                        THEN system.main.error('kanon: TOP must be above BOTTOM (write age TOP 90 BOTTOM 18)')
                        ELSE system.main.list_transform(system.main.struct_extract(shown, 'ends'), lambda found: system.main.list_extract(found, 1))
                    END,
                    steps := CASE
                    WHEN system.main.struct_extract(shown, 'kind') = 'INTERVALS' AND system.main.trim(system.main.struct_extract(shown, 'levels')) = ''
                    THEN system.main.error('kanon: INTERVALS in a mask has no widths (write age IN INTERVALS (5, 10); '
                        'the Python package kanon-sql chooses intervals)')
                    WHEN NOT system.main.regexp_full_match(
                        system.main.struct_extract(shown, 'levels'), CASE system.main.struct_extract(shown, 'kind')
                            WHEN 'CUTS' THEN '\s*\(\s*-?\s*[0-9._]+(\s*,\s*-?\s*[0-9._]+)*\s*\)\s*'
                            ELSE '\s*(\(\s*[\w.]+(\s*,\s*[\w.]+)*\s*\)\s*)?' END)
                    THEN system.main.error('kanon: the levels of a mask cannot be read (write zip IN DIGITS (5, 3), age IN INTERVALS (5, 10), '
                        'age IN CUTS (18, 65) or born IN INTERVALS (month, year))')
                    ELSE system.main.list_concat(CASE
                        WHEN system.main.struct_extract(shown, 'only')
                            OR system.main.len(system.main.flatten(system.main.struct_extract(shown, 'ends'))) = 0
                        THEN system.main.list_value()::VARCHAR[] ELSE system.main.list_value('0') END, CASE
                        WHEN system.main.struct_extract(shown, 'kind') = 'CUTS' THEN system.main.list_value('1')
                        ELSE system.main.list_transform(system.main.regexp_extract_all(
                            system.main.struct_extract(shown, 'levels'), '[\w.]+'), lambda level: CASE
                        WHEN CASE system.main.struct_extract(shown, 'kind')
                            WHEN 'DIGITS' THEN system.main.regexp_full_match(level, '0*[1-9][0-9_]{0,17}')
                            WHEN 'INTERVALS' THEN system.main.regexp_matches(level, '[1-9]') AND system.main.regexp_full_match(
                                system.main.replace(level, '_', ''), '[0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18}')
                        END
                        THEN system.main.replace(level, '_', '')
                        WHEN system.main.struct_extract(shown, 'kind') = 'PERIODS' AND system.main.list_contains(
                            system.main.list_value('day', 'month', 'quarter', 'year', 'decade'), system.main.lower(level))
                        THEN system.main.list_position(
                            system.main.list_value('day', 'month', 'quarter', 'year', 'decade'), system.main.lower(level))::VARCHAR
                        ELSE system.main.error('kanon: a mask has a level that is not a number of characters from 1, not a width above 0 '
                            'of at most 18 digits before and after the decimal point, and not one of day, month, quarter, year and decade')
                    END) END)
                    END,
                    cuts := CASE WHEN system.main.struct_extract(shown, 'kind') = 'CUTS' THEN system.main.list_transform(
                        system.main.regexp_extract_all(system.main.struct_extract(shown, 'levels'), '-?\s*[0-9._]+'),
                        lambda number: @mask_number(number)) ELSE system.main.list_value()::VARCHAR[] END))
        END)
    END
), lambda read: system.main.struct_pack(
    masks := read,
    -- the places of the columns with levels
    levelled := coalesce(system.main.list_sort(system.main.list_distinct(system.main.list_transform(
        system.main.list_filter(system.main.flatten(read), lambda shown: system.main.struct_extract(shown, 'kind') <> ''),
        lambda shown: system.main.struct_extract(shown, 'place'))),
        'ASC', 'NULLS LAST'), system.main.list_value()::BIGINT[]))
), lambda given: system.main.format(
    'WITH RECURSIVE "kanon source" AS MATERIALIZED (
         -- equal values of a quasi-identifier that look different (0.0 and -0.0, a month and 30 days) take one look; for other types,
         -- the last part is empty when it is planned
         SELECT * FROM {0} AS source WHERE false  -- names as in the table
         UNION ALL
         SELECT * REPLACE ({12}) FROM {0} AS source
         WHERE NOT system.main.regexp_matches(system.main.typeof(system.main.row({11})), ''INTERVAL|VARIANT'')
         UNION ALL
         SELECT * REPLACE ({20}) FROM (SELECT * REPLACE ({12}) FROM {0} AS source) AS source
         WHERE system.main.regexp_matches(system.main.typeof(system.main.row({11})), ''INTERVAL|VARIANT'')
     ),
     {30}"kanon types" AS MATERIALIZED (
         SELECT system.main.row_number() OVER (ORDER BY cells ASC NULLS LAST) AS type, cells, size
         FROM (SELECT system.main.list_value({1}), system.main.count(*) FROM "kanon source" AS source {31}GROUP BY 1)
             AS types(cells, size)
     ),
     {4},
     -- With a guarantee, the values of the sensitive column in their order, and how many rows of each row type have each of them.
     "kanon sensitive" AS MATERIALIZED (
         SELECT value, total, system.main.row_number() OVER (ORDER BY value ASC NULLS LAST) AS number
         FROM (SELECT {21}, system.main.count(*) FROM "kanon source" AS source GROUP BY 1) AS sensitive(value, total)
     ),
     "kanon pairs" AS MATERIALIZED (
         SELECT types.type, number, total, system.main.count(*) AS n
         FROM (SELECT system.main.list_value({1}), {21} FROM "kanon source" AS source) AS source(own, has)
         JOIN "kanon types" AS types ON cells = own
         JOIN "kanon sensitive" AS sensitive ON value IS NOT DISTINCT FROM has
         GROUP BY 1, 2, 3
     ),
     "kanon totals" AS MATERIALIZED (
         SELECT system.main.sum(total)::HUGEINT AS "rows", system.main.count(*) AS different,
                system.main.list(below::HUGEINT ORDER BY number ASC NULLS LAST) AS below
         FROM (
             SELECT number, total, system.main.sum(total) OVER (ORDER BY number ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS below
             FROM "kanon sensitive"
         ) AS sensitive
     ),
     -- Four codes of 31 bits a word, and for each mask the bits that it shows.
     "kanon places" AS MATERIALIZED (
         SELECT position, system.main.divide(position, 4) AS word,
                system.main.list_extract(
                    system.main.list_value(
                        1::HUGEINT, 2147483648::HUGEINT, 4611686018427387904::HUGEINT, 9903520314283042199192993792::HUGEINT),
                    system.main.add(system.main.mod(position, 4), 1)) AS shift
         FROM "kanon ladder" AS ladder
     ),
     "kanon packed" AS MATERIALIZED (
         SELECT type, size, word0, word1, word2
         FROM (
             SELECT type,
                    coalesce(system.main.sum(bits) FILTER (word = 0), 0),
                    coalesce(system.main.sum(bits) FILTER (word = 1), 0),
                    coalesce(system.main.sum(bits) FILTER (word = 2), 0)
             FROM (
                 SELECT type, word, system.main.multiply(code::HUGEINT, shift)
                 FROM "kanon codes" AS codes JOIN "kanon places" AS places ON codes.position = places.position
             ) AS codes(type, word, bits)
             GROUP BY type
         ) AS packed(type, word0, word1, word2)
         JOIN (SELECT type, size FROM "kanon types") AS types(key, size) ON key = type
     ),
     "kanon steps" AS MATERIALIZED (
         SELECT mask,
                coalesce(system.main.sum(bits) FILTER (word = 0), 0) AS bits0,
                coalesce(system.main.sum(bits) FILTER (word = 1), 0) AS bits1,
                coalesce(system.main.sum(bits) FILTER (word = 2), 0) AS bits2
         FROM (
             SELECT mask, word, system.main.multiply(2147483647::HUGEINT, shift)
             FROM "kanon masks" AS masks
             LEFT JOIN "kanon places" AS places ON system.main.list_contains(masks.shown, places.position)
         ) AS masks(mask, word, bits)
         GROUP BY mask
     ),
     -- A step for each mask, the cheapest first: what k of the rows left over show under it is a class.
     "kanon greedy"(type, size, word0, word1, word2, mask, step) USING KEY (type) AS (
         SELECT type, size, word0, word1, word2, NULL::BIGINT, 1::BIGINT FROM "kanon packed"
         {8}
         SELECT type, size, word0, word1, word2, CASE WHEN class0 IS NOT NULL THEN step END, system.main.add(step, 1)
         FROM (
             SELECT greedy.type, greedy.size, word0, word1, word2, step, system.main."&"(word0, bits0) AS shown0,
                    system.main."&"(word1, bits1) AS shown1, system.main."&"(word2, bits2) AS shown2
             FROM "kanon greedy" AS greedy JOIN "kanon steps" AS steps ON steps.mask = greedy.step
             WHERE greedy.mask IS NULL
         ) AS rest
         LEFT JOIN (
             SELECT system.main."&"(word0, bits0), system.main."&"(word1, bits1), system.main."&"(word2, bits2)
             FROM "kanon greedy" AS greedy JOIN "kanon steps" AS steps ON steps.mask = greedy.step
             WHERE greedy.mask IS NULL
             GROUP BY 1, 2, 3
             HAVING system.main.sum(size) >= {3}{22}
         ) AS classes(class0, class1, class2) ON class0 = shown0 AND class1 = shown1 AND class2 = shown2
     ),
     "kanon listed" AS MATERIALIZED (
         SELECT greedy.type, greedy.size, greedy.mask, codes
         FROM "kanon greedy" AS greedy
         JOIN (SELECT type, system.main.list(code ORDER BY position ASC NULLS LAST) FROM "kanon codes" GROUP BY type)
             AS codes(type, codes) ON codes.type = greedy.type
     ),
     -- A step for each row type that is left over: it takes a class with it, whole, to a mask under which both show the same.
     "kanon repaired"(type, size, mask, codes) USING KEY (type) AS (
         SELECT type, size, mask, codes FROM "kanon listed"
         {8}
         (WITH one AS (
             SELECT type, size, codes FROM recurring."kanon repaired" WHERE mask IS NULL ORDER BY type ASC NULLS LAST LIMIT 1
         ), classes AS (
             SELECT mask, values, system.main.sum(size) AS size, system.main.list(type) AS types
             FROM (
                 SELECT repaired.type, repaired.size, repaired.mask,
                        system.main.list_transform(shown, lambda place:
                            system.main.list_extract(codes, system.main.add(place, 1))) AS values
                 FROM recurring."kanon repaired" AS repaired JOIN "kanon masks" AS masks ON masks.mask = repaired.mask
             ) AS members
             GROUP BY mask, values
         ), joined AS (
             SELECT system.main.list_concat(classes.types, system.main.list_value(one.type)) AS types,
                    system.main.list_aggregate(classes.types, ''min'') AS lowest, classes.size AS size, one.size AS more, classes.mask,
                    system.main.list_filter(shown, lambda place, number:
                        system.main.list_extract(one.codes, system.main.add(place, 1)) = system.main.list_extract(values, number))
                        AS alike
             FROM one, classes JOIN "kanon masks" AS masks ON masks.mask = classes.mask
         ), {23}cheapest AS (
             SELECT types, after.mask
             FROM joined{24}
             JOIN "kanon masks" AS before ON before.mask = joined.mask
             JOIN "kanon masks" AS after ON {7}
             ORDER BY system.main.subtract(
                          system.main.multiply(system.main.add(size, more), after.hidden),
                          system.main.multiply(size, before.hidden)) ASC NULLS LAST,
                      after.mask ASC NULLS LAST, lowest ASC NULLS LAST
             LIMIT 1
         )
         SELECT repaired.type, repaired.size, chosen.mask, repaired.codes
         FROM (SELECT system.main.unnest(types), mask FROM cheapest{25}) AS chosen(type, mask)
         JOIN recurring."kanon repaired" AS repaired ON repaired.type = chosen.type)
     ),
     "kanon shown" AS MATERIALIZED (
         {9}
     ),
     -- The columns without a role; and last a constant, so that there is one.
     "kanon names" AS MATERIALIZED (
         SELECT CASE WHEN {19} AND system.main.len(names) > 1 THEN system.main.error(system.main.concat(''kanon: the column '',
                    system.main.list_extract(names, 1), '' has no role; nothing was released (name it in keep or in qi, or ''
                    ''leave it out with a view)'')) ELSE names END AS names
         FROM (
             SELECT system.main.list_transform(system.main.list_value(*COLUMNS(*)), lambda name: CASE
                        WHEN system.main.regexp_full_match(name, ''[A-Za-z_][A-Za-z0-9_]*'') THEN name
                        ELSE system.main.concat(''"'', system.main.replace(name, ''"'', ''""''), ''"'') END) AS names
             FROM (
                 SELECT system.main.alias(COLUMNS(source.* EXCLUDE ({13})))
                 FROM (SELECT 1) AS one
                 LEFT JOIN (SELECT *, true AS "kanon one" FROM "kanon source" LIMIT 1) AS source ON true
             ) AS names
         ) AS names
     ),
     -- How many rows of each row type have each value of these columns (places from 1), and each combination of them (place 0).
     -- DuckDB''s own hash is used where it differs for different values, and follows no collation.
     "kanon held" AS MATERIALIZED (
         SELECT own, place, value, system.main.count(*) AS size
         FROM (
             SELECT own, system.main.unnest(system.main.range(system.main.len("values"))) AS place,
                    system.main.unnest(system.main.list_concat(
                        system.main.list_value(system.main.hash("values")), system.main.list_slice("values", 1, -2))) AS value
             FROM (
                 SELECT "kanon own" AS own, system.main.list_value(*COLUMNS(keys.* EXCLUDE ("kanon own"))) AS "values"
                 FROM (
                     SELECT system.main.hash(system.main.list_value({1})) AS "kanon own", CASE
                            WHEN system.main.regexp_full_match(system.main.typeof(COLUMNS(* EXCLUDE ({13}))),
                                ''U?(TINY|SMALL|BIG)?INT(EGER)?|BOOLEAN|DATE|TIMESTAMP.*|FLOAT|DOUBLE|INTERVAL'')
                            THEN system.main.hash(COLUMNS(* EXCLUDE ({13})))
                            ELSE system.main.hash(system.main.create_sort_key(system.main.row(COLUMNS(* EXCLUDE ({13}))), ''ASC NULLS LAST''))
                            END
                     FROM (SELECT *, true AS "kanon one" FROM "kanon source") AS source
                     WHERE (SELECT system.main.len(names) > 1 AND {16} < 1000000000000000000 FROM "kanon names")
                 ) AS keys
             ) AS keys
         ) AS held
         GROUP BY own, place, value
     ),
     "kanon alike" AS MATERIALIZED (
         SELECT place, value, system.main.sum(size) AS alike FROM "kanon held" GROUP BY place, value
     ),
     -- The number of what each row type has in each quasi-identifier, and of each of these how many cells are suppressed, wholly or by a label.
     "kanon own" AS (
         {18}
     ),
     "kanon known" AS MATERIALIZED (
         SELECT qi, code, system.main.sum(size) AS "rows", coalesce(system.main.sum(size) FILTER ({14}), 0) AS cells
         FROM "kanon own" AS own JOIN "kanon shown" AS class ON class.type = own.type
         WHERE (SELECT system.main.len(names) > 1 AND {16} < 1000000000000000000 FROM "kanon names")
         GROUP BY qi, code
     ),
     -- A cell is guessed from the other rows with the same value of a column, where at least 95 of 100 agree: then the guesses are right of the
     -- commonest value alone, and wrong of all others (of two rows that differ, of both).
     "kanon guessed" AS (
         SELECT place, qi, size, CASE
                    WHEN system.main.multiply(system.main.subtract(top, 1), 100) >= system.main.multiply(system.main.subtract(size, 1), 95)
                    THEN top_cells ELSE 0
                END AS hit, CASE
                    WHEN system.main.multiply(top, 100) < system.main.multiply(system.main.subtract(size, 1), 95) THEN 0
                    WHEN top = 1 THEN cells ELSE system.main.subtract(cells, top_cells)
                END AS miss
         FROM (
             SELECT value, place, qi, system.main.sum(size) AS size, system.main.sum(cells) AS cells, system.main.max(size) AS top,
                    system.main.arg_max(cells, size) AS top_cells
             FROM (
                 SELECT value, place, alike.qi, size,
                        system.main."/"(system.main.multiply(size::DOUBLE, cells), "rows") AS cells
                 FROM (
                     SELECT held.value, held.place, qi, code, system.main.sum(held.size)::BIGINT AS size
                     FROM "kanon held" AS held
                     JOIN "kanon alike" AS alike ON alike.place = held.place AND alike.value = held.value
                     JOIN (SELECT type, system.main.hash(cells) AS own FROM "kanon types") AS types ON types.own = held.own
                     JOIN "kanon own" AS own ON own.type = types.type
                     WHERE held.place > 0 AND alike > 1
                     GROUP BY held.value, held.place, qi, code
                 ) AS alike
                 JOIN "kanon known" AS known ON known.qi = alike.qi AND known.code = alike.code
             ) AS cells
             GROUP BY value, place, qi
         ) AS groups
     ),
     -- How many rows have to share a value, so that it singles none of them out: k, at most 10, and at most one in 40 rows, but at least 2.
     "kanon shared" AS MATERIALIZED (
         SELECT system.main.greatest(2, system.main.least({3}, 10, system.main.divide(system.main.count(*), 40))) AS shared FROM "kanon source"
     ),
     -- What these columns reveal beyond the limits is an error, whatever is asked of the release.
     "kanon unlisted" AS MATERIALIZED (
         SELECT CASE
                    WHEN system.main.count(*) = 0 OR (SELECT system.main.bool_or(shown IS NULL) FROM "kanon shown") THEN true
                    ELSE system.main.error(system.main.concat(''kanon: '', CASE
                        WHEN system.main.max(place) > 0 AND system.main.count(*) FILTER (place > 0) = 1
                        THEN ''a column has no role and identifies'' ELSE system.main.concat(CASE WHEN system.main.max(place) > 0
                            THEN system.main.count(*) FILTER (place > 0)
                            ELSE (SELECT system.main.subtract(system.main.len(names), 1) FROM "kanon names") END,
                            '' columns have no role and identify'') END, '' people: '',
                        system.main.string_agg(reveals, ''; '' ORDER BY place ASC NULLS LAST)
                            FILTER (place > 0 OR NOT alone), ''; nothing was released ('', CASE
                        WHEN system.main.max(place) = 0 THEN ''leave some of them out with a view, name some of them in qi, or name the ''
                            ''others in keep to release them on purpose''
                        WHEN system.main.count(*) FILTER (place > 0) = 1
                        THEN ''leave it out with a view, name it in qi, or name it in keep to release it on purpose''
                        ELSE ''leave them out with a view, name them in qi, or name them in keep to release them on purpose''
                    END, '')''))
                END AS bearable
         FROM (
             SELECT place, system.main.bool_or(place > 0) OVER () AS alone, CASE WHEN place > 0
                        THEN system.main.concat(system.main.list_extract(names, place), '' '', words)
                        ELSE system.main.concat(system.main.list_aggregate(system.main.list_slice(names, 1, -3), ''string_agg'', '', ''),
                            '' and '', system.main.list_extract(names, -2), '' '', words)
                    END AS reveals
             FROM (
                 SELECT place, system.main.string_agg(words, '' and '' ORDER BY qi ASC NULLS LAST) AS words
                 FROM (
                     SELECT place, -1 AS qi, system.main.format(''{{}} {{:.1f}}% of the rows{{}}'',
                                CASE WHEN place > 0 THEN ''singles out'' ELSE ''together single out'' END,
                                system.main."/"(system.main.multiply(100.0::DOUBLE, single), "rows"),
                                CASE WHEN place > 0 AND shared > 2
                                    THEN system.main.concat('' (values shared by fewer than '', shared, '' rows)'') ELSE '''' END) AS words
                     FROM (
                         SELECT place, shared, system.main.sum(alike) AS "rows",
                                coalesce(system.main.sum(alike) FILTER (alike < CASE WHEN place > 0 THEN shared ELSE 2 END), 0) AS single
                         FROM "kanon alike", "kanon shared"
                         GROUP BY place, shared
                     ) AS singles, "kanon names"
                     WHERE (place > 0 OR system.main.len(names) > 2)
                         AND (system.main.multiply(single::HUGEINT, 1000000000000000000) > system.main.multiply("rows", {16})
                             OR place > 0 AND system.main.multiply(single::HUGEINT, 1000000000000000000)
                                 > system.main.multiply(system.main.greatest("rows", 50), {15}))
                     UNION ALL
                     SELECT place, qi, system.main.format(''gives back {{:.1f}}% of the suppressed cells of {{}}'',
                                system.main."/"(system.main.multiply(100.0::DOUBLE, hit), cells),
                                system.main.list_extract({17}, system.main.add(qi, 1)))
                     FROM (
                         SELECT place, qi, least, system.main.sum(hit) AS hit, system.main.sum(miss) AS miss
                         FROM "kanon guessed", (VALUES (2), (5)) AS sizes(least)
                         WHERE size >= least
                         GROUP BY place, qi, least
                     ) AS guessed
                     JOIN (
                         SELECT qi AS own, system.main.sum("rows") AS "rows", system.main.max("rows") AS top, system.main.sum(cells) AS cells
                         FROM "kanon known"
                         GROUP BY qi
                     ) AS known ON own = qi
                     -- guesses that are right, and better than the commonest value; a sum is rounded
                     WHERE system.main.multiply(hit, 1e18) > system.main.multiply(cells, system.main.add({16}, 1e9))
                         AND system.main.multiply(miss, 20) <= system.main.add(hit, miss)
                         AND system.main.multiply(system.main.multiply(miss, 2), "rows")
                             <= system.main.multiply(system.main.add(hit, miss), system.main.subtract("rows", top))
                         AND top < "rows"
                     QUALIFY system.main.row_number() OVER (PARTITION BY place, qi ORDER BY hit DESC NULLS LAST) = 1
                 ) AS told
                 GROUP BY place
             ) AS told, "kanon names"
         ) AS told
     ),
     "kanon released" AS {26}MATERIALIZED (
         -- a UNION ALL at the top of a CTE would keep an ENUM, so it is inside of a subquery
         SELECT *
         FROM (
             -- names as in the source, whatever the case of those in qi
             SELECT * {10} FROM "kanon source" AS source WHERE false
             UNION ALL
             SELECT source.* REPLACE ({2})
             FROM "kanon source" AS source
             LEFT JOIN "kanon shown" AS class ON class.cells = system.main.list_value({1})
             WHERE CASE WHEN class.shown IS NOT NULL THEN true
                       ELSE system.main.error(''kanon: rows are left over that fit no class of at least {3} rows{28}; nothing was released ''
                           ''(choose a smaller k, or permit the mask [])'')
                   END
                 AND (SELECT bearable FROM "kanon unlisted")
         ) AS source
     ),
     "kanon audited" AS (
         SELECT system.main.bool_and(coalesce({27}, false)) AS kept
         FROM (
             SELECT class, system.main.list(n ORDER BY number ASC NULLS LAST) AS counts,
                    system.main.list(number ORDER BY number ASC NULLS LAST) AS places,
                    system.main.list(total ORDER BY number ASC NULLS LAST) AS held, system.main.sum(n) AS size
             FROM (
                 SELECT class, n, system.main.dense_rank() OVER (ORDER BY value ASC NULLS LAST) AS number,
                        system.main.sum(n) OVER (PARTITION BY value) AS total
                 FROM (
                     SELECT system.main.list_value({1}) AS class, {21} AS value, system.main.count(*) AS n
                     FROM "kanon released" AS source
                     GROUP BY 1, 2
                 ) AS pairs
             ) AS pairs
             GROUP BY class
         ) AS classes
         CROSS JOIN "kanon totals" AS totals
     )
     SELECT *
     FROM "kanon released" AS source
     QUALIFY CASE
         WHEN {6}
             THEN system.main.error(''kanon: a quasi-identifier is an ENUM inside of another type, which would list what is ''
                      ''suppressed (cast it to VARCHAR)'')
         WHEN system.main.count(*) OVER (PARTITION BY {1}) < {3}
             THEN system.main.error(''kanon: the audit found a class of fewer than {3} rows; nothing was released'')
         WHEN {29} THEN true
         ELSE system.main.error(''kanon: the audit found a class that breaks the guarantee; nothing was released'')
     END
     ORDER BY system.main.create_sort_key(system.main.row(*COLUMNS(*)), ''ASC NULLS FIRST'') ASC NULLS LAST',
    -- {0} the table
    @table(tbl),
    -- {1} a cell of each quasi-identifier: its bytes and its text; of one with levels its text
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the quasi-identifiers: qi := [''zip'', ''age''])')
        WHEN system.main.len(qi::VARCHAR[]) = 0 THEN system.main.error('kanon: qi is an empty list')
        WHEN system.main.len(qi::VARCHAR[]) > 12
            THEN system.main.error(system.main.format('kanon: {} quasi-identifiers, but without Python at most 12 are possible '
                '(release with the Python package kanon-sql, or name fewer)', system.main.len(qi::VARCHAR[])))
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name, number: system.main.format(
            CASE WHEN system.main.list_contains(system.main.struct_extract(given, 'levelled'), system.main.subtract(number, 1))
                THEN 'CASE WHEN source.{0} IS NULL THEN ''''::BLOB '
                     'ELSE system.main.encode(system.main.concat(''='', source.{0}::VARCHAR)) END'
                ELSE 'system.main.create_sort_key(system.main.row(source.{0}, source.{0}::VARCHAR), ''ASC NULLS FIRST'')'
            END,
            system.main.concat('"', system.main.replace(name, '"', '""'), '"'))), 'string_agg', ', ')
    END,
    -- {2} what is shown; the text that is never reached makes a VARCHAR of an ENUM, and leaves other types
    -- (a slot that is NULL would make NULL of the whole text, without the error that tells why)
    coalesce(system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name, number: system.main.format(
        CASE WHEN system.main.list_contains(system.main.struct_extract(given, 'levelled'), system.main.subtract(number, 1))
            THEN 'system.main.decode(class.label{1}) AS {0}'
            ELSE 'CASE WHEN system.main.list_contains(class.shown, {1}) THEN source.{0} WHEN true THEN NULL ELSE '''' END AS {0}'
        END,
        system.main.concat('"', system.main.replace(name, '"', '""'), '"'), system.main.subtract(number, 1))), 'string_agg', ', '), ''),
    -- {3} k
    CASE WHEN TRY_CAST(k AS DOUBLE) = TRY_CAST(k AS BIGINT) AND TRY_CAST(k AS BIGINT) >= 1 THEN TRY_CAST(k AS BIGINT)
        ELSE system.main.error('kanon: k must be a whole number of at least 1') END,
    -- {4} the ladder, codes and masks
    CASE
        WHEN system.main.len(system.main.struct_extract(given, 'levelled')) = 0 THEN system.main.format(
            -- each column is a ladder of one level, and a mask costs a cell for each column that it hides
            '"kanon ladder" AS MATERIALIZED (
                 SELECT position FROM system.main.range({0}) AS ladder(position)
             ),
             -- The number of each value in its column.
             "kanon codes" AS MATERIALIZED (
                 SELECT type, position, system.main.dense_rank() OVER (PARTITION BY position ORDER BY cell ASC NULLS LAST) AS code
                 FROM (
                     SELECT type, system.main.unnest(cells), system.main.unnest(system.main.range({0})) FROM "kanon types"
                 ) AS cells(type, cell, position)
             ),
             "kanon masks" AS MATERIALIZED (
                 SELECT system.main.row_number() OVER (ORDER BY system.main.len(shown) DESC NULLS LAST, shown DESC NULLS LAST) AS mask,
                        shown, system.main.subtract({0}, system.main.len(shown)) AS hidden
                 FROM (SELECT DISTINCT shown FROM ({1}) AS masks(shown)) AS masks
             )',
            coalesce(system.main.len(qi::VARCHAR[]), 0),
            CASE
                WHEN system.main.struct_extract(given, 'masks') IS NULL THEN system.main.format(
                    'WITH RECURSIVE masks(place, shown) AS (
                         SELECT 0::BIGINT, system.main.list_value()::BIGINT[]
                         UNION ALL
                         SELECT system.main.add(place, 1),
                                system.main.unnest(system.main.list_value(
                                    system.main.list_concat(shown, system.main.list_value(place)), shown))
                         FROM masks WHERE place < {0}
                     )
                     SELECT shown FROM masks WHERE place = {0}', coalesce(system.main.len(qi::VARCHAR[]), 0))
                ELSE system.main.format('SELECT system.main.unnest(''{}''::BIGINT[][])',
                    system.main.list_transform(system.main.struct_extract(given, 'masks'), lambda mask:
                        system.main.list_sort(system.main.list_distinct(system.main.list_transform(mask,
                            lambda shown: system.main.struct_extract(shown, 'place'))), 'ASC', 'NULLS LAST'))::VARCHAR)
            END)
        ELSE system.main.format(
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
             -- Numbers are read from their texts, digit by digit: none is rounded, but down to the decimals of the widths.
             "kanon values" AS MATERIALIZED (
                 SELECT place, cell, text, size, CASE
                            WHEN system.main.bool_or(kind = ''PERIODS'' AND far) OVER (PARTITION BY place)
                                 AND system.main.bool_and(text IS NULL OR known OR far) OVER (PARTITION BY place)
                            THEN system.main.error(system.main.concat(''kanon: '', system.main.count(*) FILTER (far) OVER (PARTITION BY place),
                                '' of the '', "values", '' values of the column '', system.main.list_extract({3}, system.main.add(place, 1)),
                                '' are dates outside the years 1 to 9999 (leave such rows out)''))
                            WHEN system.main.bool_or(kind <> ''DIGITS'' AND text IS NOT NULL AND NOT known) OVER (PARTITION BY place)
                            THEN system.main.error(system.main.concat(''kanon: '',
                                system.main.count(*) FILTER (text IS NOT NULL AND NOT known) OVER
                                (PARTITION BY place), '' of the '', "values", '' values of the column '', system.main.list_extract({3},
                                system.main.add(place, 1)), CASE kind
                                    WHEN ''PERIODS'' THEN '' are no dates or timestamps (take widths such as INTERVALS (5, 10) for numbers)''
                                    ELSE '' are no numbers (take INTERVALS (month, year) for dates)'' END))
                            WHEN system.main.bool_or(kind IN (''INTERVALS'', ''CUTS'') AND system.main.length(digits) > 36) OVER (PARTITION BY place)
                            THEN system.main.error(system.main.concat(''kanon: values of the column '', system.main.list_extract({3},
                                system.main.add(place, 1)), '' have more than 36 digits, with as many decimals as the widths have ''
                                ''(release with the Python package kanon-sql)''))
                            WHEN kind = ''PERIODS''
                            THEN TRY_CAST(system.main.concat(system.main.left(text, 4), system.main.repeat(''0'', decimals::INTEGER)) AS HUGEINT)
                            WHEN kind <> ''DIGITS'' AND minus
                            THEN system.main.subtract(CASE WHEN system.main.regexp_matches(rest, ''[1-9]'') THEN ''-1''::HUGEINT ELSE 0::HUGEINT END,
                                                      system.main.concat(''0'', digits)::HUGEINT)
                            WHEN kind <> ''DIGITS'' THEN system.main.concat(''0'', digits)::HUGEINT
                            ELSE 0
                        END AS number, kind <> ''PERIODS'' AND system.main.regexp_matches(rest, ''[1-9]'') AS more
                 FROM (
                     SELECT place, cell, text, size, kind, "values", decimals, minus, known, far,
                            CASE WHEN known AND point > 0
                                THEN system.main.ltrim(system.main.rpad(word, point::INTEGER, ''0''), ''0'') ELSE '''' END AS digits,
                            CASE WHEN point > 0 THEN system.main.substring(word, system.main.add(point, 1)) ELSE word END AS rest
                     FROM (
                         SELECT place, cell, text, size, kind, "values", decimals,
                                system.main.concat(read.whole, read.part) AS word, read.sign = ''-'' AS minus,
                                system.main.add(system.main.add(system.main.length(read.whole), coalesce(TRY_CAST(read.power AS BIGINT), 0)),
                                    decimals) AS point,
                                system.main.regexp_full_match(text, ''-?infinity|([0-9]{{4,7}}-[0-9]{{2}}-[0-9]{{2}} \(BC\)|''
                                    ''[0-9]{{5,7}}-[0-9]{{2}}-[0-9]{{2}})( [0-9:.]+)?'') AS far,
                                CASE
                                    WHEN kind IN (''INTERVALS'', ''CUTS'')
                                    THEN system.main.regexp_full_match(
                                             text, '' *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{{1,4}})? *'')
                                         AND coalesce(system.main.abs(system.main.subtract(system.main.add(
                                             coalesce(TRY_CAST(read.power AS BIGINT), 0),
                                             system.main.length(system.main.ltrim(system.main.concat(read.whole, read.part), ''0''))),
                                             system.main.add(system.main.length(read.part), 1))) <= 400
                                             OR NOT system.main.regexp_matches(system.main.concat(read.whole, read.part), ''[1-9]''), false)
                                    WHEN kind = ''PERIODS''
                                    THEN system.main.regexp_full_match(text, ''[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}( ([01][0-9]|2[0-3]):[0-5][0-9]:''
                                             ''[0-5][0-9](\.[0-9]{{1,6}})?)?'')
                                         AND system.main.left(text, 4) <> ''0000'' AND TRY_CAST(system.main.left(text, 10) AS DATE) IS NOT NULL
                                END AS known
                         FROM (
                             SELECT texts.*, kind, decimals, "values", system.main.regexp_extract(text,
                                        ''^ *([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))? *$'',
                                        system.main.list_value(''sign'', ''whole'', ''part'', ''power'')) AS read
                             FROM "kanon texts" AS texts JOIN "kanon recodings" AS recodings ON recodings.place = texts.place
                         ) AS texts
                     ) AS words
                 ) AS numbers
             ),
             -- How many characters neighbours share, among the sorted values of one length: at these levels fewer labels are left.
             "kanon beginnings" AS MATERIALIZED (
                 SELECT DISTINCT place, system.main.list_reduce(
                            system.main.list_transform(system.main.range(30, -1, -1), lambda power: system.main."<<"(1::BIGINT, power)),
                            lambda shared, more: CASE
                                WHEN system.main.add(shared, more) < system.main.length(text)
                                     AND system.main.encode(system.main.left(text, system.main.add(shared, more)))
                                         = system.main.encode(system.main.left(before, system.main.add(shared, more)))
                                THEN system.main.add(shared, more)
                                ELSE shared
                            END, 0::BIGINT) AS shared
                 FROM (
                     SELECT texts.place, text, system.main.lag(text) OVER (
                                PARTITION BY texts.place, system.main.length(text) ORDER BY cell ASC NULLS LAST) AS before
                     FROM "kanon texts" AS texts JOIN "kanon recodings" AS recodings ON recodings.place = texts.place
                     WHERE kind = ''DIGITS'' AND text IS NOT NULL
                 ) AS neighbours
                 WHERE system.main.encode(system.main.left(text, 1)) = system.main.encode(system.main.left(before, 1))
             ),
             -- The rungs of a ladder. Numbers of characters that leave as many labels as the one before are kept only where masks name them.
             "kanon rungs" AS MATERIALIZED (
                 SELECT place, 0 AS rung, NULL::DECIMAL(36, 18) AS step FROM "kanon recodings"
                 UNION ALL
                 SELECT place, system.main.row_number() OVER (PARTITION BY place ORDER BY coarse ASC NULLS LAST), step
                 FROM (
                     SELECT steps.*, CASE kind WHEN ''DIGITS'' THEN system.main.subtract(0, step) ELSE step END AS coarse,
                            system.main.lag(step) OVER (PARTITION BY place ORDER BY step DESC NULLS LAST) AS finer
                     FROM (
                         SELECT place, kind, partly, exact, longest, system.main.unnest(CASE
                                    WHEN NOT every THEN steps
                                    WHEN NOT partly THEN (SELECT coalesce(system.main.list(shared), system.main.list_value())
                                                          FROM "kanon beginnings" AS beginnings WHERE beginnings.place = recodings.place)
                                    WHEN longest <= 13 THEN system.main.range(1, longest)
                                    ELSE system.main.error(system.main.concat(''kanon: the column '', system.main.list_extract({3},
                                        system.main.add(place, 1)), '' has '', longest, '' levels, and at most 12 without Python (list ''
                                        ''fewer: zip IN DIGITS (5, 3); or release with the Python package kanon-sql)''))
                                END::DECIMAL(36, 18)[]) AS step
                         FROM "kanon recodings" AS recodings
                     ) AS steps
                     WHERE kind <> ''DIGITS'' OR step < longest
                 ) AS steps
                 WHERE kind <> ''DIGITS'' OR partly OR (finer IS NULL AND NOT exact) OR EXISTS (
                     FROM "kanon beginnings" AS beginnings
                     WHERE beginnings.place = steps.place AND shared >= step AND (finer IS NULL OR shared < finer))
             ),
             -- What each value shows on each rung of its ladder, the value itself first; as bytes, whatever the collation.
             "kanon labels" AS MATERIALIZED (
                 SELECT place, rung, cell, size, system.main.encode(CASE
                            WHEN text IS NULL OR number IS NULL THEN NULL  -- asked for of each value, so that it is an error if one has none
                            WHEN rung = 0 THEN text
                            WHEN kind = ''DIGITS'' THEN system.main.concat(system.main.left(text, step::BIGINT), system.main.repeat(
                                ''*'', system.main.greatest(0, system.main.subtract(system.main.length(text), step::BIGINT))))
                            WHEN above THEN system.main.concat(top_label, ''+'')
                            WHEN below THEN system.main.concat(''<='', bottom_label)
                            WHEN step = 0 THEN text
                            WHEN kind = ''PERIODS'' THEN CASE step
                                WHEN 1 THEN system.main.left(text, 10)
                                WHEN 2 THEN system.main.left(text, 7)
                                WHEN 3 THEN system.main.concat(system.main.left(text, 4), ''-Q'', system.main.divide(
                                    system.main.add(system.main.substring(text, 6, 2)::BIGINT, 2), 3))
                                WHEN 4 THEN system.main.left(text, 4)
                                ELSE system.main.concat(system.main.left(text, 3), ''0s'') END
                            WHEN high = '''' THEN system.main.concat(system.main.substring(low, 2), ''+'')
                            WHEN low = '''' THEN system.main.concat(''<'', high)
                            ELSE system.main.concat(low, '', '', high, '')'')
                        END) AS label
                 FROM (
                     SELECT texts.*, system.main.list_extract(told, 1) AS top_label, system.main.list_extract(told, 2) AS bottom_label,
                            number >= top AS above, number < bottom OR (number = bottom AND NOT more) AS below,
                            CASE WHEN lowest <= bottom OR (lowest IS NULL AND bottom IS NOT NULL)
                                THEN system.main.concat(''('', system.main.list_extract(told, 2))
                                WHEN lowest IS NULL THEN ''''
                                ELSE system.main.concat(''['', system.main.list_extract(told, 3)) END AS low,
                            CASE WHEN top < highest OR highest IS NULL THEN system.main.list_extract(told, 1)
                                ELSE system.main.list_extract(told, 4) END AS high
                     FROM (
                         SELECT texts.*, system.main.list_transform(system.main.list_value(top, bottom, lowest, highest), lambda bound:
                                    system.main.concat(CASE WHEN bound < 0 THEN ''-'' ELSE '''' END, system.main.rtrim(
                                    system.main.regexp_replace(system.main.concat(
                                        system.main.substring(system.main.lpad(system.main.abs(bound)::VARCHAR, 40, ''0''), 1,
                                            system.main.subtract(40, decimals)), ''.'',
                                        system.main.substring(system.main.lpad(system.main.abs(bound)::VARCHAR, 40, ''0''),
                                            system.main.subtract(41, decimals))), ''^0*([0-9]+\.[0-9]*?)0*$'', ''\1''), ''.''))) AS told
                         FROM (
                             SELECT texts.*, rung, step, kind, decimals, top, bottom, CASE kind
                                        WHEN ''CUTS'' THEN system.main.list_aggregate(
                                            system.main.list_filter(cuts, lambda cut: cut <= number), ''max'')
                                        ELSE system.main.list_aggregate(system.main.list_transform(wider, lambda width: system.main.subtract(
                                            number, system.main.mod(system.main.add(system.main.mod(number, width), width), width))), ''max'')
                                    END AS lowest, CASE kind
                                        WHEN ''CUTS'' THEN system.main.list_aggregate(
                                            system.main.list_filter(cuts, lambda cut: cut > number), ''min'')
                                        ELSE system.main.list_aggregate(system.main.list_transform(wider, lambda width: system.main.subtract(
                                            system.main.add(number, width),
                                            system.main.mod(system.main.add(system.main.mod(number, width), width), width))), ''min'')
                                    END AS highest
                             FROM "kanon values" AS texts
                             JOIN (
                                 SELECT recodings.*, rungs.rung, rungs.step,
                                        system.main.list_filter(widths, lambda width, number: width > 0 AND number >= rungs.rung) AS wider
                                 FROM "kanon recodings" AS recodings JOIN "kanon rungs" AS rungs ON rungs.place = recodings.place
                             ) AS rungs ON rungs.place = texts.place
                         ) AS texts
                     ) AS texts
                 ) AS texts
             ),
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
    END,
    -- {5} the number of quasi-identifiers
    coalesce(system.main.len(qi::VARCHAR[]), 0),
    -- {6} whether a quasi-identifier has an ENUM inside of it
    coalesce(system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name: system.main.format(
        'system.main.contains(system.main.typeof(source.{}), ''ENUM('')',
        system.main.concat('"', system.main.replace(name, '"', '""'), '"'))), 'string_agg', ' OR '), ''),
    -- {7} the masks under which a row type and a class may be released together
    CASE WHEN masks IS NULL THEN 'after.shown = joined.alike'
        ELSE 'system.main.len(system.main.list_filter(after.shown, lambda place: '
             'NOT system.main.list_contains(joined.alike, place))) = 0' END,
    -- {8} how a recursion that keeps one row for each key is written
    CASE WHEN system.main.starts_with(system.main.version(), 'v1.4.') THEN 'UNION' ELSE 'UNION ALL' END,
    -- {9} what each row type shows: its columns, and the labels of those with levels
    CASE
        WHEN system.main.len(system.main.struct_extract(given, 'levelled')) = 0
        THEN 'SELECT types.type, types.size, types.cells, masks.shown
              FROM "kanon repaired" AS repaired
              JOIN "kanon types" AS types ON types.type = repaired.type
              LEFT JOIN "kanon masks" AS masks ON masks.mask = repaired.mask'
        ELSE system.main.format(
            -- the cell comes first: a join by types alone would pair each type with every label
            'WITH "kanon finest" AS MATERIALIZED (
                 SELECT repaired.type, finest.place, finest.rung,
                        system.main.list_extract(types.cells, system.main.add(finest.place, 1)) AS cell
                 FROM "kanon repaired" AS repaired
                 JOIN "kanon types" AS types ON types.type = repaired.type
                 JOIN (
                     SELECT mask, place, system.main.min(rung)
                     FROM (SELECT mask, system.main.unnest(shown) FROM "kanon masks") AS masks(mask, position)
                     JOIN "kanon ladder" AS ladder ON ladder.position = masks.position
                     GROUP BY 1, 2
                 ) AS finest(mask, place, rung) ON finest.mask = repaired.mask
             )
             SELECT types.type, types.size, types.cells, system.main.list_transform(masks.shown, lambda position:
                        system.main.list_extract(columns, system.main.add(position, 1)))
                        AS shown, {0}
             FROM "kanon repaired" AS repaired
             JOIN "kanon types" AS types ON types.type = repaired.type
             LEFT JOIN "kanon masks" AS masks ON masks.mask = repaired.mask
             CROSS JOIN (SELECT system.main.list(place ORDER BY position ASC NULLS LAST) FROM "kanon ladder") AS ladder(columns)
             LEFT JOIN (
                 SELECT finest.type, {1}
                 FROM "kanon finest" AS finest
                 JOIN "kanon labels" AS labels ON labels.place = finest.place AND labels.rung = finest.rung
                     AND labels.cell = finest.cell
                 GROUP BY 1
             ) AS labels ON labels.type = repaired.type',
            system.main.list_aggregate(system.main.list_transform(system.main.struct_extract(given, 'levelled'),
                lambda place: system.main.format('labels.label{0}', place)), 'string_agg', ', '),
            system.main.list_aggregate(system.main.list_transform(system.main.struct_extract(given, 'levelled'),
                lambda place: system.main.format(
                'system.main.max(labels.label) FILTER (labels.place = {0}) AS label{0}', place)), 'string_agg', ', '))
    END,
    -- {10} columns with levels become texts, named as in qi
    CASE
        WHEN system.main.len(system.main.struct_extract(given, 'levelled')) = 0 THEN ''
        ELSE system.main.format('REPLACE ({})', system.main.list_aggregate(system.main.list_transform(
            system.main.struct_extract(given, 'levelled'), lambda place: system.main.format(
                'source.{0}::VARCHAR AS {0}', system.main.concat('"', system.main.replace(
                system.main.list_extract(qi::VARCHAR[], system.main.add(place, 1)), '"', '""'), '"'))), 'string_agg', ', '))
    END,
    -- {11} the quasi-identifiers, {12} each with 0.0 for -0.0, which a maximum has, wherever it is inside
    coalesce(system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name:
        system.main.concat('source."', system.main.replace(name, '"', '""'), '"')), 'string_agg', ', '), ''),
    coalesce(system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name: system.main.format(
        'CASE WHEN system.main.regexp_matches(system.main.typeof(source.{0}), ''FLOAT|DOUBLE'')
             THEN system.main.list_extract(system.main.list_aggregate(
                 system.main.list_value(system.main.list_value(source.{0})), ''max''), 1)
             ELSE source.{0} END AS {0}',
        system.main.concat('"', system.main.replace(name, '"', '""'), '"'))), 'string_agg', ', '), ''),
    -- {13} the columns that have a role
    CASE
        WHEN system.main.list_contains(
            system.main.list_transform(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]), lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
            system.main.translate(sa::VARCHAR, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
        THEN system.main.error('kanon: sa is one of the columns of qi or keep (a sensitive column has no other role)')
        WHEN keep IS NULL THEN system.main.list_aggregate(system.main.list_transform(
            system.main.list_concat(qi::VARCHAR[], system.main.list_filter(system.main.list_value(sa::VARCHAR), lambda name: name IS NOT NULL)),
            lambda name: system.main.concat('"', system.main.replace(name, '"', '""'), '"')), 'string_agg', ', ')
        WHEN system.main.list_aggregate(keep::VARCHAR[], 'count') < system.main.len(keep::VARCHAR[])
            THEN system.main.error('kanon: keep holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]),
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')))
            < system.main.len(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]))
        THEN system.main.error('kanon: keep names a column twice, or one of qi')
        ELSE coalesce(system.main.list_aggregate(system.main.list_transform(
            system.main.list_concat(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]), system.main.list_filter(system.main.list_value(sa::VARCHAR), lambda name: name IS NOT NULL)),
            lambda name: system.main.concat('"', system.main.replace(name, '"', '""'), '"')), 'string_agg', ', '), '')
    END,
    -- {14} whether a row type does not show a quasi-identifier, or only a label
    system.main.concat('NOT system.main.list_contains(class.shown, qi)', system.main.list_aggregate(system.main.list_transform(
        system.main.struct_extract(given, 'levelled'), lambda place: system.main.format(
            ' OR qi = {0} AND system.main.decode(class.label{0}) IS DISTINCT FROM CASE
                  WHEN system.main.list_extract(class.cells, {1}) <> ''''::BLOB
                  THEN system.main.substring(system.main.decode(system.main.list_extract(class.cells, {1})), 2) END',
            place, system.main.add(place, 1))), 'string_agg', '')),
    -- {15} unlisted_limit, {16} and at least a half, in parts of 10^18
    CASE WHEN TRY_CAST(unlisted_limit::VARCHAR AS DECIMAL(38, 18)) BETWEEN 0 AND 1
        THEN system.main.replace(TRY_CAST(unlisted_limit::VARCHAR AS DECIMAL(38, 18))::VARCHAR, '.', '')::BIGINT
        ELSE system.main.error('kanon: unlisted_limit is not a share of the rows from 0 to 1 (write 0.2, the default)') END,
    coalesce(system.main.greatest(500000000000000000,
        system.main.replace(TRY_CAST(unlisted_limit::VARCHAR AS DECIMAL(38, 18))::VARCHAR, '.', '')::BIGINT), 0),
    -- {17} the names of the quasi-identifiers
    coalesce(system.main.format('system.main.list_value({})', system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
        lambda name: system.main.concat('''', system.main.replace(CASE
            WHEN system.main.regexp_full_match(name, '[A-Za-z_][A-Za-z0-9_]*') THEN name
            ELSE system.main.concat('"', system.main.replace(name, '"', '""'), '"') END, '''', ''''''), '''')),
        'string_agg', ', ')), ''),
    -- {18} the numbers of the values: without levels, the codes are these
    CASE
        WHEN system.main.len(system.main.struct_extract(given, 'levelled')) = 0 THEN 'SELECT type, position AS qi, code FROM "kanon codes"'
        ELSE system.main.format(
            'SELECT type, qi, system.main.dense_rank() OVER (PARTITION BY qi ORDER BY cell ASC NULLS LAST) AS code
             FROM (
                 SELECT type, system.main.unnest(cells), system.main.unnest(system.main.range({0})) FROM "kanon types"
             ) AS cells(type, cell, qi)', coalesce(system.main.len(qi::VARCHAR[]), 0))
    END,
    -- {19} whether keep is given: then each column needs a role
    CASE WHEN keep IS NULL THEN 'false' ELSE 'true' END,
    -- {20} the quasi-identifiers, each with one look for equal intervals
    coalesce(system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name: system.main.format(
        'CASE WHEN system.main.regexp_matches(system.main.typeof(source.{0}), ''INTERVAL|VARIANT'')
             THEN system.main.first(source.{0}) OVER (
                 PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(source.{0}))
                 ORDER BY CAST(source.{0} AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
             ELSE source.{0} END AS {0}',
        system.main.concat('"', system.main.replace(name, '"', '""'), '"'))), 'string_agg', ', '), ''),
    -- {21} the sensitive column
    coalesce(system.main.format('source."{}"', system.main.replace(sa::VARCHAR, '"', '""')), 'NULL'),
    -- {22} classes of the greedy that do not keep the guarantee are left out
    CASE WHEN sa IS NULL THEN '' ELSE system.main.format('
             INTERSECT
             SELECT class0, class1, class2
             FROM (
                 SELECT class0, class1, class2, system.main.list(n ORDER BY number ASC NULLS LAST) AS counts,
                        system.main.list(number ORDER BY number ASC NULLS LAST) AS places,
                        system.main.list(total ORDER BY number ASC NULLS LAST) AS held, system.main.sum(n) AS size
                 FROM (
                     SELECT system.main."&"(word0, bits0) AS class0, system.main."&"(word1, bits1) AS class1,
                            system.main."&"(word2, bits2) AS class2, number, total, system.main.sum(n) AS n
                     FROM "kanon greedy" AS greedy
                     JOIN "kanon steps" AS steps ON steps.mask = greedy.step
                     JOIN "kanon pairs" AS pairs ON pairs.type = greedy.type
                     WHERE greedy.mask IS NULL
                     GROUP BY 1, 2, 3, 4, 5
                 ) AS pairs
                 GROUP BY 1, 2, 3
             ) AS classes
             CROSS JOIN "kanon totals" AS totals
             WHERE {}', guarantee::VARCHAR) END,
    -- {23} the classes with which a row type keeps the guarantee; and if none is left over, those that found no class: the pool
    CASE WHEN sa IS NULL THEN '' ELSE system.main.format('fitting AS (
             SELECT lowest AS fit
             FROM (
                 SELECT lowest, system.main.list(n ORDER BY number ASC NULLS LAST) AS counts,
                        system.main.list(number ORDER BY number ASC NULLS LAST) AS places,
                        system.main.list(total ORDER BY number ASC NULLS LAST) AS held, system.main.sum(n) AS size
                 FROM (
                     SELECT lowest, number, total, system.main.sum(n) AS n
                     FROM (SELECT lowest, system.main.unnest(types) AS type FROM joined) AS members
                     JOIN "kanon pairs" AS pairs ON pairs.type = members.type
                     GROUP BY 1, 2, 3
                 ) AS pairs
                 GROUP BY 1
             ) AS classes
             CROSS JOIN "kanon totals" AS totals
             WHERE {0}
         ), bare AS (
             SELECT mask FROM "kanon masks" WHERE system.main.len(shown) = 0
         ), pool AS (
             SELECT type FROM recurring."kanon repaired" WHERE mask = 0 AND NOT EXISTS (FROM one)
         ), enough AS (
             SELECT true AS enough
             FROM (
                 SELECT system.main.list(n ORDER BY number ASC NULLS LAST) AS counts,
                        system.main.list(number ORDER BY number ASC NULLS LAST) AS places,
                        system.main.list(total ORDER BY number ASC NULLS LAST) AS held, system.main.sum(n) AS size
                 FROM (
                     SELECT number, total, system.main.sum(n) AS n
                     FROM (
                         SELECT type FROM pool
                         UNION ALL
                         SELECT repaired.type FROM recurring."kanon repaired" AS repaired JOIN bare ON bare.mask = repaired.mask
                     ) AS members
                     JOIN "kanon pairs" AS pairs ON pairs.type = members.type
                     GROUP BY 1, 2
                 ) AS pairs
             ) AS classes
             CROSS JOIN "kanon totals" AS totals
             WHERE size >= {1} AND {0}
         ), largest AS (
             SELECT types
             FROM classes JOIN bare ON bare.mask <> classes.mask
             WHERE EXISTS (FROM pool) AND NOT EXISTS (FROM enough)
             ORDER BY size DESC NULLS LAST, system.main.list_aggregate(types, ''min'') ASC NULLS LAST
             LIMIT 1
         ), ', guarantee::VARCHAR, TRY_CAST(k AS BIGINT)) END,
    -- {24}, {25} what becomes of them
    CASE WHEN sa IS NULL THEN '' ELSE '
             JOIN fitting ON fit = lowest' END,
    CASE WHEN sa IS NULL THEN '' ELSE '
               UNION ALL
               SELECT type, 0 FROM one WHERE NOT EXISTS (FROM cheapest)
               UNION ALL
               SELECT pool.type, bare.mask FROM pool CROSS JOIN bare WHERE EXISTS (FROM enough)
               UNION ALL
               SELECT system.main.unnest(types), 0 FROM largest' END,
    -- {26} whether the release is kept while it is audited, {27} the guarantee, {28} words of the error, {29} and whether it is audited
    CASE WHEN sa IS NULL THEN 'NOT ' ELSE '' END,
    coalesce(guarantee::VARCHAR, 'true'),
    CASE WHEN sa IS NULL THEN '' ELSE ' that keeps the guarantee' END,
    CASE WHEN sa IS NULL THEN 'true' ELSE '(SELECT kept FROM "kanon audited")' END,
    -- {30} the columns that repeat people, before the search, {31} and that there is none
    CASE TRY_CAST(per_row::VARCHAR AS BOOLEAN)
        WHEN true THEN ''
        WHEN false THEN system.main.format(
            '@people_repeated("kanon source" AS source; {0}),
             "kanon#settled" AS MATERIALIZED (
                 SELECT CASE WHEN found IS NULL THEN true ELSE system.main.error(system.main.concat(''kanon: '', system.main.list_extract(found, 1),
                            '' repeats people'', CASE system.main.len(found)
                                WHEN 1 THEN ''''
                                WHEN 2 THEN system.main.concat('' (and so does '', system.main.list_extract(found, 2), '')'')
                                ELSE system.main.concat('' (and so do '', system.main.list_aggregate(system.main.list_slice(found, 2, -2), ''string_agg'', '', ''),
                                    '' and '', system.main.list_extract(found, -1), '')'') END,
                            '': rows that share its value agree on '', agreed, ''; k >= {1} would count rows, and '', system.main.format(''{{:,}}'', people),
                            '' people have '', system.main.format(''{{:,}}'', "rows"),
                            ''; nothing was released; hint: release one row per person from a view, count people with per := '',
                            system.main.concat('''''''', system.main.replace(name, '''''''', ''''''''''''), ''''''''),
                            '' in the Python package, or write per_row := true if each row is a person'')) END AS settled
                 FROM (
                     SELECT system.main.list(spelled ORDER BY number ASC NULLS LAST) AS found, system.main.arg_min(name, number) AS name,
                            system.main.arg_min(agreed, number) AS agreed, system.main.arg_min(people, number) AS people,
                            system.main.arg_min("rows", number) AS "rows"
                     FROM (
                         SELECT name, people, "rows", @spelled_column(name) AS spelled,
                                system.main.row_number() OVER (ORDER BY "rows" DESC NULLS LAST, people DESC NULLS LAST, place ASC NULLS LAST) AS number,
                                CASE
                                    WHEN system.main.len(words) = 1 THEN system.main.list_extract(words, 1)
                                    WHEN system.main.len(words) <= 4 THEN system.main.concat(system.main.list_aggregate(
                                        system.main.list_slice(words, 1, -2), ''string_agg'', '', ''), '' and '', system.main.list_extract(words, -1))
                                    ELSE system.main.concat(system.main.list_aggregate(system.main.list_slice(words, 1, 3), ''string_agg'', '', ''), '' and '',
                                        system.main.subtract(system.main.len(words), 3), '' other columns'')
                                END AS agreed
                         FROM (
                             SELECT *, system.main.list_transform(shared, lambda name: @spelled_column(name)) AS words FROM "kanon#repeated"
                         ) AS repeated
                     ) AS repeated
                 ) AS repeated
             ),
             ',
            @list_literal(qi::VARCHAR[]; system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
            ,
            TRY_CAST(k AS BIGINT))
        ELSE system.main.error('kanon: per_row is neither true nor false (write true if each row is a person)')
    END,
    CASE WHEN TRY_CAST(per_row::VARCHAR AS BOOLEAN) THEN '' ELSE 'WHERE (SELECT settled FROM "kanon#settled") ' END
)), 1));
