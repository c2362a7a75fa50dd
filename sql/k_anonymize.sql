-- k_anonymize(tbl, k, qi, masks := NULL): a k-anonymous release that suppresses few cells, in any DuckDB client, without Python.
--
-- Row types (the distinct combinations of quasi-identifiers) go to the cheapest mask under which at least k rows show the same: the
-- pattern-guided greedy of Bredereck, Nichterlein and Niedermeier (2013). Row types that are left over each take a class with
-- them, whole, at the least cost. A row type is never split, so what a row shows depends on the quasi-identifiers alone; rows come
-- in the order of what is released of them. Neither tells anything of what is suppressed, so no secret is needed, and the same
-- table always gives the same release.
--
-- The rows that are handed out are counted before: it is an error, and nothing is released, if a class has fewer than k rows, or
-- if some rows fit no mask. `kanon_sql.register` puts the function of the Python package in the place of this one, which
-- suppresses less, proves how close that is to the least, and has no limit of columns.
--
-- Values are told apart byte by byte whatever the collation, and by their texts (0.0 and -0.0). NULL is a value like any other.
--
-- Arguments:
--   tbl     VARCHAR       name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                         'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL, and read once.
--   k       BIGINT        least rows of a class
--   qi      VARCHAR[]     the quasi-identifiers, at most 12. Other columns are released as they are.
--   masks   VARCHAR[][]   lists of the columns that are shown together: [['zip', 'age'], ['age'], []]. NULL permits every
--                         combination.
--
-- Result columns:
--   those of tbl, with their names, order and types; suppressed cells are NULL. An ENUM in qi becomes VARCHAR, because its type
--   would list what is suppressed; an ENUM inside of a list or struct is an error.
--
-- Cost: one scan of tbl, one GROUP BY, and for each mask (2^12 at most) one GROUP BY of the row types that are left.
CREATE OR REPLACE MACRO k_anonymize(tbl, k, qi := NULL, masks := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH RECURSIVE "kanon source" AS MATERIALIZED (
         SELECT * FROM {0} AS source
     ),
     "kanon types" AS MATERIALIZED (
         SELECT system.main.row_number() OVER (ORDER BY cells ASC NULLS LAST) AS type, cells, size
         FROM (SELECT system.main.list_value({1}), system.main.count(*) FROM "kanon source" AS source GROUP BY 1)
             AS types(cells, size)
     ),
     -- The number of each value in its column.
     "kanon codes" AS MATERIALIZED (
         SELECT type, position, system.main.dense_rank() OVER (PARTITION BY position ORDER BY cell ASC NULLS LAST) AS code
         FROM (
             SELECT type, system.main.unnest(cells), system.main.unnest(system.main.range({5})) FROM "kanon types"
         ) AS cells(type, cell, position)
     ),
     "kanon masks" AS MATERIALIZED (
         SELECT system.main.row_number() OVER (ORDER BY system.main.len(shown) DESC NULLS LAST, shown DESC NULLS LAST) AS mask, shown,
                system.main.subtract({5}, system.main.len(shown)) AS hidden
         FROM (SELECT DISTINCT shown FROM ({4}) AS masks(shown)) AS masks
     ),
     -- Four codes of 31 bits a word, and for each mask the bits that it shows.
     "kanon places" AS MATERIALIZED (
         SELECT position, system.main.divide(position, 4) AS word,
                system.main.list_extract(
                    system.main.list_value(
                        1::HUGEINT, 2147483648::HUGEINT, 4611686018427387904::HUGEINT, 9903520314283042199192993792::HUGEINT),
                    system.main.add(system.main.mod(position, 4), 1)) AS shift
         FROM system.main.range({5}) AS places(position)
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
             HAVING system.main.sum(size) >= {3}
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
             SELECT system.main.list_concat(classes.types, system.main.list_value(one.type)) AS types, classes.size AS size, one.size AS more, classes.mask,
                    system.main.list_filter(shown, lambda place, number:
                        system.main.list_extract(one.codes, system.main.add(place, 1)) = system.main.list_extract(values, number))
                        AS alike
             FROM one, classes JOIN "kanon masks" AS masks ON masks.mask = classes.mask
         ), cheapest AS (
             SELECT types, after.mask
             FROM joined
             JOIN "kanon masks" AS before ON before.mask = joined.mask
             JOIN "kanon masks" AS after ON {7}
             ORDER BY system.main.subtract(
                          system.main.multiply(system.main.add(size, more), after.hidden),
                          system.main.multiply(size, before.hidden)) ASC NULLS LAST,
                      after.mask ASC NULLS LAST, system.main.list_aggregate(types, ''min'') ASC NULLS LAST
             LIMIT 1
         )
         SELECT repaired.type, repaired.size, chosen.mask, repaired.codes
         FROM (SELECT system.main.unnest(types), mask FROM cheapest) AS chosen(type, mask)
         JOIN recurring."kanon repaired" AS repaired ON repaired.type = chosen.type)
     ),
     "kanon shown" AS MATERIALIZED (
         SELECT types.cells, masks.shown
         FROM "kanon repaired" AS repaired
         JOIN "kanon types" AS types ON types.type = repaired.type
         LEFT JOIN "kanon masks" AS masks ON masks.mask = repaired.mask
     )
     SELECT *
     FROM (
         -- names as in the source, whatever the case of those in qi
         SELECT * FROM "kanon source" WHERE false
         UNION ALL
         SELECT source.* REPLACE ({2})
         FROM "kanon source" AS source
         LEFT JOIN "kanon shown" AS class ON class.cells = system.main.list_value({1})
         WHERE CASE WHEN class.shown IS NOT NULL THEN true
                   ELSE system.main.error(''kanon: rows are left over that fit no class of at least {3} rows; nothing was released ''
                       ''(choose a smaller k, or permit the mask [])'')
               END
     ) AS source
     QUALIFY CASE
         WHEN {6}
             THEN system.main.error(''kanon: a quasi-identifier is an ENUM inside of another type, which would list what is ''
                      ''suppressed (cast it to VARCHAR)'')
         WHEN system.main.count(*) OVER (PARTITION BY {1}) >= {3} THEN true
         ELSE system.main.error(''kanon: the audit found a class of fewer than {3} rows; nothing was released'')
     END
     ORDER BY system.main.create_sort_key(system.main.row(*COLUMNS(*)), ''ASC NULLS FIRST'') ASC NULLS LAST',
    -- {0} the table
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[1:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE system.main.concat('"', part, '"') END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    -- {1} a cell of each quasi-identifier: its bytes and its text
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the quasi-identifiers: qi := [''zip'', ''age''])')
        WHEN system.main.len(qi::VARCHAR[]) = 0 THEN system.main.error('kanon: qi is an empty list')
        WHEN system.main.len(qi::VARCHAR[]) > 12
            THEN system.main.error(system.main.format('kanon: {} quasi-identifiers, and at most 12 without Python '
                '(release with the Python package kanon-sql, or name fewer)', system.main.len(qi::VARCHAR[])))
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.lower(name))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name: system.main.format(
            'system.main.create_sort_key(system.main.row(source.{0}, source.{0}::VARCHAR), ''ASC NULLS FIRST'')',
            system.main.concat('"', system.main.replace(name, '"', '""'), '"'))), 'string_agg', ', ')
    END,
    -- {2} what is shown; the text that is never reached makes a VARCHAR of an ENUM, and leaves other types
    -- (a slot that is NULL would make NULL of the whole text, without the error that tells why)
    coalesce(system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name, number: system.main.format(
        'CASE WHEN system.main.list_contains(class.shown, {1}) THEN source.{0} WHEN true THEN NULL ELSE '''' END AS {0}',
        system.main.concat('"', system.main.replace(name, '"', '""'), '"'), system.main.subtract(number, 1))), 'string_agg', ', '), ''),
    -- {3} k
    CASE WHEN TRY_CAST(k AS DOUBLE) = TRY_CAST(k AS BIGINT) AND TRY_CAST(k AS BIGINT) >= 1 THEN TRY_CAST(k AS BIGINT)
        ELSE system.main.error('kanon: k is not a whole number from 1 on') END,
    -- {4} the masks, as lists of places in qi
    CASE
        WHEN masks IS NULL THEN system.main.format(
            'WITH RECURSIVE masks(place, shown) AS (
                 SELECT 0::BIGINT, system.main.list_value()::BIGINT[]
                 UNION ALL
                 SELECT system.main.add(place, 1),
                        system.main.unnest(system.main.list_value(system.main.list_concat(shown, system.main.list_value(place)), shown))
                 FROM masks WHERE place < {0}
             )
             SELECT shown FROM masks WHERE place = {0}', coalesce(system.main.len(qi::VARCHAR[]), 0))
        WHEN system.main.len(masks::VARCHAR[][]) = 0 THEN system.main.error('kanon: masks is an empty list')
        ELSE system.main.format('SELECT system.main.unnest(''{}''::BIGINT[][])',
            system.main.list_transform(masks::VARCHAR[][], lambda mask: CASE
                WHEN mask IS NULL THEN system.main.error('kanon: masks holds NULL instead of a list of columns')
                ELSE system.main.list_sort(system.main.list_distinct(system.main.list_transform(mask, lambda shown:
                    coalesce(
                        system.main.subtract(system.main.nullif(system.main.list_position(
                            system.main.list_transform(qi::VARCHAR[], lambda name: system.main.lower(name)),
                            system.main.lower(shown)), 0), 1),
                        system.main.error('kanon: a mask names a column that is not in qi')))), 'ASC', 'NULLS LAST')
            END)::VARCHAR)
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
    CASE WHEN system.main.starts_with(system.main.version(), 'v1.4.') THEN 'UNION' ELSE 'UNION ALL' END
));
