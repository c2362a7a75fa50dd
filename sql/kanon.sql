-- beta_likeness(tbl, qi, sa): how much more frequent the values of a sensitive attribute are in the classes of a table.
--
-- Of a value with the share p of the whole table and the share q of an equivalence class, the gain is (q - p) / p. A table is
--   basic beta-like      if no gain is above beta,
--   enhanced beta-like   if, besides, no gain is above -ln p: frequent values may not fill a class either.
-- NULL is a value like any other: rows that are NULL in the same column are alike there, and NULL is one more value of the
-- sensitive attribute. In quasi-identifiers, text is compared byte by byte whatever the collation of the column ('a' and 'A'
-- are two values even under NOCASE), because the reader sees bytes. Values of the sensitive attribute are one where the column
-- calls them equal: 'flu' and 'FLU' under NOCASE, one month and 30 days.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi    VARCHAR[]   the quasi-identifiers; NULL takes every column but sa. Case does not matter, as everywhere in SQL.
--   sa    VARCHAR     the sensitive attribute, a column that is not in qi
--
-- Result columns (one row; every figure but a number of rows or classes is NULL for an empty table):
--   beta          DOUBLE   the greatest gain: = worst_count * rows / (worst_size * worst_total) - 1
--   worst_count   BIGINT   rows of a value in a class where the gain is greatest
--   worst_size    BIGINT   rows of that class
--   worst_total   BIGINT   rows of that value in the whole table
--   beyond_log    BIGINT   classes in which the gain of some value is above -ln p: with 0 of them the table is enhanced beta-like
--                          for this beta, otherwise for none. A class so near that rounding leaves a doubt counts.
--   classes       BIGINT   number of classes
--   rows          BIGINT   number of rows
--
-- Gains are compared exactly, by 120 binary places: two that differ, with less than 2^30 rows, differ by more.
--
-- Source: Cao, Karras: Publishing Microdata with a Robust Privacy Guarantee, PVLDB 5(11), 2012.
-- Cost: one scan, one GROUP BY, and one over the (class, value) pairs.
CREATE OR REPLACE MACRO beta_likeness(tbl, qi := NULL, sa := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT system.main.max(gain).held * system.main.max(all_rows)
                / (system.main.max(gain).size * system.main.max(gain).total)::DOUBLE - 1 AS beta,
            system.main.max(gain).held AS worst_count,
            system.main.max(gain).size AS worst_size,
            system.main.max(gain).total AS worst_total,
            system.main.count(*) FILTER (beyond) AS beyond_log,
            system.main.count(*) AS classes,
            coalesce(system.main.max(all_rows), 0)::BIGINT AS "rows"
     FROM (
         SELECT class,
                system.main.max(all_rows) AS all_rows,
                system.main.max(system.main.struct_pack(
                    whole := here // whole,
                    places := (here % whole) * (1::HUGEINT << 60) // whole,
                    further := (here % whole) * (1::HUGEINT << 60) % whole * (1::HUGEINT << 60) // whole,
                    held := held,
                    size := size::BIGINT,
                    total := total::BIGINT)) AS gain,
                system.main.bool_or(
                    here > whole AND (here - whole) / whole::DOUBLE
                                     >= system.main.ln(all_rows / total::DOUBLE) * (1 - 1e-14) - 1e-14) AS beyond
         FROM (
             SELECT *, held::HUGEINT * all_rows AS here, size::HUGEINT * total AS whole
             FROM (
                 SELECT class,
                        held,
                        system.main.sum(held) OVER (PARTITION BY class) AS size,
                        system.main.sum(held) OVER (PARTITION BY value) AS total,
                        system.main.sum(held) OVER () AS all_rows
                 FROM (
                     SELECT system.main.create_sort_key(system.main.row(true, *COLUMNS(* EXCLUDE ("kanon#value"))), ''ASC NULLS FIRST'') AS class,
                            "kanon#value" AS value,
                            system.main.count(*) AS held
                     FROM (
                         -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                         SELECT * FROM (SELECT {2} AS "kanon#value", {0} FROM {1} AS source) AS "kanon#s"
                         WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                         UNION ALL
                         SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                             THEN system.main.first(COLUMNS(*)) OVER (
                                 PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                             ELSE COLUMNS(*) END
                         FROM (SELECT {2} AS "kanon#value", {0} FROM {1} AS source) AS "kanon#s"
                         WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                     ) AS source
                     GROUP BY 1, 2
                 ) AS counts
             ) AS pairs
         ) AS pairs
         GROUP BY class
     ) AS classes',
    CASE
        WHEN qi IS NULL THEN 'COLUMNS(source.* EXCLUDE ("' || system.main.replace(coalesce(sa::VARCHAR, ''), '"',
            '""') || '"))'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (NULL takes every column but sa)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        WHEN system.main.list_contains(
            system.main.list_transform(qi::VARCHAR[], lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
            system.main.translate(sa::VARCHAR, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
        THEN system.main.error('kanon: sa is one of the columns of qi (a sensitive attribute is no quasi-identifier)')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE
        WHEN coalesce(sa::VARCHAR, '') = '' THEN system.main.error('kanon: sa is missing (name the sensitive attribute)')
        ELSE 'source."' || system.main.replace(coalesce(sa::VARCHAR, ''), '"', '""') || '"'
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- delta_disclosure(tbl, qi, sa): how far the shares of sensitive values in the classes are from those of the whole table.
--
-- Of a value with the share p of the whole table and the share q of an equivalence class, the disclosure is the absolute value of
-- ln(q / p). A table has delta-disclosure privacy if that of every value of the table is below delta in every class. A class
-- without one of the values discloses that, and no delta bounds it.
-- NULL is a value like any other: rows that are NULL in the same column are alike there, and NULL is one more value of the
-- sensitive attribute. In quasi-identifiers, text is compared byte by byte whatever the collation of the column ('a' and 'A'
-- are two values even under NOCASE), because the reader sees bytes. Values of the sensitive attribute are one where the column
-- calls them equal: 'flu' and 'FLU' under NOCASE, one month and 30 days.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi    VARCHAR[]   the quasi-identifiers; NULL takes every column but sa. Case does not matter, as everywhere in SQL.
--   sa    VARCHAR     the sensitive attribute, a column that is not in qi
--
-- Result columns (one row; every figure but a number of rows or classes is NULL for an empty table):
--   delta               DOUBLE    = ln(ratio_numerator / ratio_denominator); infinite if a class is incomplete
--   ratio_numerator     HUGEINT   of the greatest ratio of two shares, q / p or p / q, among the values that classes have
--   ratio_denominator   HUGEINT   see above
--   incomplete          BIGINT    classes without one of the values of the table
--   classes             BIGINT    number of classes
--   rows                BIGINT    number of rows
--
-- Ratios are compared exactly, by 120 binary places: two that differ, with less than 2^30 rows, differ by more.
--
-- Source: Brickell, Shmatikov: The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data Publishing, KDD 2008.
-- Cost: one scan, one GROUP BY, and one over the (class, value) pairs.
CREATE OR REPLACE MACRO delta_disclosure(tbl, qi := NULL, sa := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT CASE WHEN system.main.bool_or(different < all_different) THEN ''Infinity''::DOUBLE
                 ELSE system.main.ln(system.main.max(ratio).over / system.main.max(ratio).under::DOUBLE) END AS delta,
            system.main.max(ratio).over AS ratio_numerator,
            system.main.max(ratio).under AS ratio_denominator,
            system.main.count(*) FILTER (different < all_different) AS incomplete,
            system.main.count(*) AS classes,
            coalesce(system.main.max(all_rows), 0)::BIGINT AS "rows"
     FROM (
         SELECT class,
                system.main.max(all_rows) AS all_rows,
                system.main.count(*) AS different,
                system.main.max(all_different) AS all_different,
                system.main.max(system.main.struct_pack(
                    whole := over // under,
                    places := (over % under) * (1::HUGEINT << 60) // under,
                    further := (over % under) * (1::HUGEINT << 60) % under * (1::HUGEINT << 60) // under,
                    over := over,
                    under := under)) AS ratio
         FROM (
             SELECT *,
                    system.main.max(place) OVER () AS all_different,
                    system.main.greatest(held::HUGEINT * all_rows, size::HUGEINT * total) AS over,
                    system.main.least(held::HUGEINT * all_rows, size::HUGEINT * total) AS under
             FROM (
                 SELECT class,
                        held,
                        system.main.sum(held) OVER (PARTITION BY class) AS size,
                        system.main.sum(held) OVER (PARTITION BY value) AS total,
                        system.main.sum(held) OVER () AS all_rows,
                        system.main.dense_rank() OVER (ORDER BY value ASC NULLS LAST) AS place
                 FROM (
                     SELECT system.main.create_sort_key(system.main.row(true, *COLUMNS(* EXCLUDE ("kanon#value"))), ''ASC NULLS FIRST'') AS class,
                            "kanon#value" AS value,
                            system.main.count(*) AS held
                     FROM (
                         -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                         SELECT * FROM (SELECT {2} AS "kanon#value", {0} FROM {1} AS source) AS "kanon#s"
                         WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                         UNION ALL
                         SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                             THEN system.main.first(COLUMNS(*)) OVER (
                                 PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                             ELSE COLUMNS(*) END
                         FROM (SELECT {2} AS "kanon#value", {0} FROM {1} AS source) AS "kanon#s"
                         WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                     ) AS source
                     GROUP BY 1, 2
                 ) AS counts
             ) AS pairs
         ) AS pairs
         GROUP BY class
     ) AS classes',
    CASE
        WHEN qi IS NULL THEN 'COLUMNS(source.* EXCLUDE ("' || system.main.replace(coalesce(sa::VARCHAR, ''), '"',
            '""') || '"))'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (NULL takes every column but sa)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        WHEN system.main.list_contains(
            system.main.list_transform(qi::VARCHAR[], lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
            system.main.translate(sa::VARCHAR, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
        THEN system.main.error('kanon: sa is one of the columns of qi (a sensitive attribute is no quasi-identifier)')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE
        WHEN coalesce(sa::VARCHAR, '') = '' THEN system.main.error('kanon: sa is missing (name the sensitive attribute)')
        ELSE 'source."' || system.main.replace(coalesce(sa::VARCHAR, ''), '"', '""') || '"'
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- delta_presence(tbl, qi, population): what the rows of a table tell of who in a population is among them.
--
-- A class matches the rows of the population that have what it shows; its share is the number of its rows, divided by theirs. The
-- shares of the classes that a row of the population matches add up to its presence; the greatest one is told. Where classes do not
-- overlap, this is the upper limit of delta-presence. Values match if their texts are equal; NULL and '*' of tbl show nothing, so
-- all match. Text is compared byte by byte whatever the collation of the column, because the reader sees bytes. Generalized cells
-- are texts like any other: take the same cells for the population. The table has to be a part of the population.
--
-- Arguments:
--   tbl          VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                            'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi           VARCHAR[]   the quasi-identifiers, which the population has under the same names
--   population   VARCHAR     name of the table of the population, as tbl
--
-- Result columns (one row):
--   presence          DOUBLE    the greatest presence; 0 for an empty table, NULL where some class matches no row
--   parts             HUGEINT   the same in whole parts of 1 / unit, each share rounded up
--   unit              HUGEINT   5342931457063200000000000, the least common multiple of 1 to 40 times 10^9
--   classes           BIGINT    number of classes
--   unmatched         BIGINT    classes with more rows than match them in the population: the table is no part of it
--   rows              BIGINT    number of rows
--   population_rows   BIGINT    number of rows of the population
--
-- Source: Nergiz, Atzori, Clifton: Hiding the Presence of Individuals from Shared Databases, SIGMOD 2007.
-- Cost: one scan of both tables, and one GROUP BY of the population for each set of columns that rows show.
CREATE OR REPLACE MACRO delta_presence(tbl, qi := NULL, population := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#shown" AS MATERIALIZED (
         SELECT shown, size, system.main.row_number() OVER () AS class
         FROM (
             SELECT system.main.list_transform(shown, lambda cell: CASE WHEN cell <> ''*'' THEN cell END) AS shown,
                    system.main.count(*) AS size
             FROM (SELECT system.main.list_value(*COLUMNS(*)) AS shown
                   FROM (
                   SELECT CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                           -- a maximum has 0.0 for -0.0, wherever it is inside
                           THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                           ELSE COLUMNS(*) END AS VARCHAR) COLLATE "binary"
                   FROM (
                       -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                       SELECT * FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                       WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                       UNION ALL
                       SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                           THEN system.main.first(COLUMNS(*)) OVER (
                               PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                           ELSE COLUMNS(*) END
                       FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                       WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                   ) AS source
               ) AS source)
                 AS rows
             GROUP BY 1
         ) AS rows
     ), "kanon#population" AS MATERIALIZED (
         SELECT person, many, system.main.row_number() OVER () AS id
         FROM (
             SELECT person, system.main.count(*) AS many
             FROM (SELECT system.main.list_value(*COLUMNS(*)) AS person
                   FROM (
                   SELECT CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                           -- a maximum has 0.0 for -0.0, wherever it is inside
                           THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                           ELSE COLUMNS(*) END AS VARCHAR) COLLATE "binary"
                   FROM (
                       -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                       SELECT * FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                       WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                       UNION ALL
                       SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                           THEN system.main.first(COLUMNS(*)) OVER (
                               PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                           ELSE COLUMNS(*) END
                       FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                       WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                   ) AS source
               ) AS source)
                 AS people
             GROUP BY 1
         ) AS people
     ), "kanon#seen" AS MATERIALIZED (
         SELECT class, id, many
         FROM (
             SELECT class, system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden,
                    system.main.create_sort_key(system.main.row(shown), ''ASC NULLS FIRST'') AS key
             FROM "kanon#shown"
         ) AS classes
         JOIN (
             SELECT id, hidden, many, system.main.create_sort_key(system.main.row(
                 system.main.list_transform(system.main.range(1, system.main.len(person) + 1),
                                            lambda place: CASE WHEN NOT hidden[place] THEN person[place] END)), ''ASC NULLS FIRST'') AS key
             FROM "kanon#population",
                  (SELECT DISTINCT system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden FROM "kanon#shown") AS masks
         ) AS people USING (hidden, key)
     ), "kanon#shares" AS MATERIALIZED (
         SELECT class, size, n, (size::HUGEINT * 5342931457063200000000000::HUGEINT + n - 1) // n AS share
         FROM "kanon#shown" AS shown
         LEFT JOIN (SELECT class, system.main.sum(many)::HUGEINT AS n FROM "kanon#seen" GROUP BY class) AS matched USING (class)
     ), "kanon#told" AS (
         SELECT CASE WHEN (SELECT coalesce(system.main.bool_and(n IS NOT NULL), true) FROM "kanon#shares")
                     THEN coalesce(system.main.max(total), 0)::HUGEINT END AS parts
         FROM (SELECT system.main.sum(share)::HUGEINT AS total FROM "kanon#seen" JOIN "kanon#shares" USING (class) GROUP BY id) AS sums
     )
     SELECT (SELECT parts / 5342931457063200000000000::DOUBLE FROM "kanon#told") AS presence,
            (SELECT parts FROM "kanon#told") AS parts,
            5342931457063200000000000::HUGEINT AS unit,
            system.main.count(*) AS classes,
            system.main.count(*) FILTER (size > coalesce(n, 0)) AS unmatched,
            coalesce(system.main.sum(size), 0)::BIGINT AS "rows",
            (SELECT coalesce(system.main.sum(many), 0)::BIGINT FROM "kanon#population") AS population_rows
     FROM "kanon#shares"',
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the columns that the population shares with the table)')
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (name the columns that the population shares with the table)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(population::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(population::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(population::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: population is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(population::VARCHAR, 'NULL')))
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- equivalence_classes(tbl, qi := NULL): the equivalence classes of a table, one row per class.
--
-- Two rows are in one class if they agree in every quasi-identifier.
-- NULL is a value like any other: rows that are NULL in the same column are alike there. Text is compared byte by byte
-- whatever the collation of the column ('a' and 'A' are two values even under NOCASE), because the reader sees bytes.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi    VARCHAR[]   the quasi-identifiers; by default every column. Case does not matter, as everywhere in SQL.
--
-- Result columns:
--   the quasi-identifiers, with their own names and types, in the order of qi
--   class_size   BIGINT   number of rows of the class, always the last column
--                         (called class_size_1 if a quasi-identifier is itself named class_size)
--
-- Cost: one scan, one GROUP BY. No order is promised.
CREATE OR REPLACE MACRO equivalence_classes(tbl, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT * EXCLUDE ("equivalence class")
     FROM (
         SELECT system.main.create_sort_key(system.main.row(*COLUMNS(*)), ''ASC NULLS FIRST'') AS "equivalence class",
                -- of 0.0 and -0.0 the one whose text is the last
                system.main.arg_max(COLUMNS(*), CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                    THEN CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" ELSE '''' END),
                system.main.count(*) AS class_size
         FROM (
             -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
             SELECT * FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
             WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
             UNION ALL
             SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                 THEN system.main.first(COLUMNS(*)) OVER (
                     PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                 ELSE COLUMNS(*) END
             FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
             WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
         ) AS source
         GROUP BY 1
     ) AS classes',
    CASE
        WHEN qi IS NULL THEN 'source.*'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (leave it out to take every column)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- intersection_risk(first, second, key, qi, k := 5): what two releases of the same people give away together.
--
-- Who knows in which equivalence class a person is in each release knows that the person is among those who are in both classes: the
-- candidates. For each person in both releases these are counted; where a person has several rows, for each pair of a class of
-- the first and a class of the second, and the fewest count. Each release may be k-anonymous, and a person still be alone.
-- It takes tables that still have the key: measure before the key is dropped.
-- NULL is a value like any other in a quasi-identifier; an empty key is nobody. Keys are compared as texts, quasi-identifiers byte
-- by byte whatever the collation of the column.
--
-- Arguments:
--   first, second   VARCHAR     names of tables, views, CTEs or quoted files, optionally qualified: 'patients', 'main.patients',
--                               'db.schema.t', '"odd ""name"'. They are read as identifiers, never as SQL.
--   key             VARCHAR     the column that tells people apart, in both
--   qi              VARCHAR[]   the quasi-identifiers, in both. Case does not matter, as everywhere in SQL.
--   k               INTEGER     fewer candidates than that are counted
--
-- Result columns (one row; all but people, alone and below_k are NULL where nobody is in both):
--   people                BIGINT   people in both releases
--   smallest_in_first     BIGINT   the fewest people in a class of the first release in which one of them is
--   smallest_in_second    BIGINT   the same of the second
--   smallest_candidates   BIGINT   the fewest candidates of a person
--   average_candidates    DOUBLE   of all these people
--   average_risk          DOUBLE   how often who draws one of the candidates finds the person
--   alone                 BIGINT   people who are their only candidate
--   below_k               BIGINT   people with fewer than k candidates
--   share_below_k         DOUBLE   of the people
--
-- Cost: one scan and one GROUP BY of each table, a join and a window.
CREATE OR REPLACE MACRO intersection_risk(first, second, key, qi, k := 5) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT system.main.count(*) AS people,
            system.main.min(in_first)::BIGINT AS smallest_in_first,
            system.main.min(in_second)::BIGINT AS smallest_in_second,
            system.main.min(candidates)::BIGINT AS smallest_candidates,
            system.main.avg(candidates) AS average_candidates,
            system.main.avg(1::DOUBLE / candidates) AS average_risk,
            system.main.count(*) FILTER (candidates = 1) AS alone,
            system.main.count(*) FILTER (candidates < {4}) AS below_k,
            CASE WHEN system.main.count(*) > 0
                THEN (system.main.count(*) FILTER (candidates < {4}))::DOUBLE / system.main.count(*) END AS share_below_k
     FROM (
         SELECT system.main.min(in_first) AS in_first, system.main.min(in_second) AS in_second,
                system.main.min(candidates) AS candidates
         FROM (
             SELECT person, in_first, in_second, system.main.count(*) OVER (PARTITION BY class, other_class) AS candidates
             FROM (
                 SELECT *, system.main.count(*) OVER (PARTITION BY class) AS in_first
                 FROM (
                     SELECT DISTINCT system.main.create_sort_key(system.main.row(CAST(CASE WHEN system.main.regexp_matches(system.main.typeof("kanon#key"), ''FLOAT|DOUBLE'')
                                    -- a maximum has 0.0 for -0.0, wherever it is inside
                                    THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value("kanon#key")), ''max''), 1)
                                    ELSE "kanon#key" END AS VARCHAR)), ''ASC NULLS FIRST'') AS person,
                            system.main.create_sort_key(system.main.row(*COLUMNS(* EXCLUDE ("kanon#key"))), ''ASC NULLS FIRST'') AS class
                     FROM (
                         -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                         SELECT * FROM (SELECT source.{3} AS "kanon#key", {0} FROM {1} AS source WHERE source.{3} IS NOT NULL) AS "kanon#s"
                         WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                         UNION ALL
                         SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                             THEN system.main.first(COLUMNS(*)) OVER (
                                 PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                             ELSE COLUMNS(*) END
                         FROM (SELECT source.{3} AS "kanon#key", {0} FROM {1} AS source WHERE source.{3} IS NOT NULL) AS "kanon#s"
                         WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                     ) AS source
                 )
             )
             JOIN (
                 SELECT *, system.main.count(*) OVER (PARTITION BY other_class) AS in_second
                 FROM (
                     SELECT DISTINCT system.main.create_sort_key(system.main.row(CAST(CASE WHEN system.main.regexp_matches(system.main.typeof("kanon#key"), ''FLOAT|DOUBLE'')
                                    -- a maximum has 0.0 for -0.0, wherever it is inside
                                    THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value("kanon#key")), ''max''), 1)
                                    ELSE "kanon#key" END AS VARCHAR)), ''ASC NULLS FIRST'') AS person,
                            system.main.create_sort_key(system.main.row(*COLUMNS(* EXCLUDE ("kanon#key"))), ''ASC NULLS FIRST'') AS other_class
                     FROM (
                         -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                         SELECT * FROM (SELECT source.{3} AS "kanon#key", {0} FROM {2} AS source WHERE source.{3} IS NOT NULL) AS "kanon#s"
                         WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                         UNION ALL
                         SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                             THEN system.main.first(COLUMNS(*)) OVER (
                                 PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                             ELSE COLUMNS(*) END
                         FROM (SELECT source.{3} AS "kanon#key", {0} FROM {2} AS source WHERE source.{3} IS NOT NULL) AS "kanon#s"
                         WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                     ) AS source
                 )
             ) USING (person)
         )
         GROUP BY person
     )',
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is NULL (name the quasi-identifiers)')
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (name the quasi-identifiers)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(first::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(first::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(first::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: first is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(first::VARCHAR, 'NULL')))
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(second::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(second::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(second::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: second is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(second::VARCHAR, 'NULL')))
    END,
    CASE WHEN coalesce(key::VARCHAR, '') = '' THEN system.main.error('kanon: key is no column name')
        ELSE '"' || system.main.replace(coalesce(key::VARCHAR, ''), '"', '""') || '"' END,
    CASE WHEN coalesce(k::BIGINT, 0) < 1 THEN system.main.error('kanon: k must be a whole number above 0') ELSE k::BIGINT END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- interval_ends(label): the two ends of an interval, as texts; of any other label, the label twice.
--
-- Generalized columns are texts: [35, 40), [17, 23] or [17, 23] or NULL. This reads them, so that one column becomes two, of
-- whatever type: SELECT interval_ends(lat).low::DOUBLE AS lat_min, interval_ends(lat).high::DOUBLE AS lat_max.
-- A value that stands alone is its own interval. Ends and values in double quotes come without them: ["Smith, A", Zorn].
-- A suppressed cell is NULL, and so is a label in brackets that has not two ends.
--
-- Arguments:
--   label   VARCHAR   a cell of a generalized column
--
-- Result:
--   STRUCT(low VARCHAR, high VARCHAR)
--
-- Cost: one pass over the text.
CREATE OR REPLACE MACRO interval_ends(label) AS
system.main.list_extract(system.main.list_transform(
    CASE
        WHEN NOT system.main.regexp_matches(label::VARCHAR, '^\[.*[\])]( or NULL)?$', 's')
        THEN system.main.list_value(system.main.struct_pack(low := system.main.regexp_replace(label::VARCHAR, ' or NULL$', ''),
                                                    high := system.main.regexp_replace(label::VARCHAR, ' or NULL$', '')))
        -- a word in quotes, or one without ', '
        WHEN system.main.regexp_full_match(
            label::VARCHAR,
            '\[("([^"]|"")*"|([^",][^,]*)?(,+[^ ,][^,]*)*,*), ("([^"]|"")*"|([^",][^,]*)?(,+[^ ,][^,]*)*,*)[\])]( or NULL)?')
        THEN system.main.list_value(system.main.regexp_extract(
            label::VARCHAR, '^\[("(?:[^"]|"")*"|(?:[^"].*?)??), (.*)[\])](?: or NULL)?$', system.main.list_value('low', 'high'), 's'))
    END,
    lambda ends: system.main.struct_pack(
        low := CASE
            WHEN system.main.regexp_full_match(ends.low, '"([^"]|"")*"')
            THEN system.main.replace(system.main.regexp_extract(ends.low, '^"(.*)"$', 1, 's'), '""', '"')
            ELSE ends.low
        END,
        high := CASE
            WHEN system.main.regexp_full_match(ends.high, '"([^"]|"")*"')
            THEN system.main.replace(system.main.regexp_extract(ends.high, '^"(.*)"$', 1, 's'), '""', '"')
            ELSE ends.high
        END)), 1);
-- k_anonymity(tbl, qi := NULL): the k of a table, and the sizes of its equivalence classes in figures.
--
-- A table is k-anonymous if every equivalence class has at least k rows; the k given here is the largest such k.
-- NULL is a value like any other: rows that are NULL in the same column are alike there. Text is compared byte by byte
-- whatever the collation of the column ('a' and 'A' are two values even under NOCASE), because the reader sees bytes.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi    VARCHAR[]   the quasi-identifiers; by default every column. Case does not matter, as everywhere in SQL.
--
-- Result columns (one row):
--   k                    BIGINT   size of the smallest class; NULL for an empty table
--   classes              BIGINT   number of classes
--   rows                 BIGINT   number of rows
--   average_class_size   DOUBLE   rows / classes; NULL for an empty table
--   largest_class        BIGINT   size of the largest class; NULL for an empty table
--   uniques              BIGINT   rows that are alone in their class
--
-- Cost: one scan, one GROUP BY.
CREATE OR REPLACE MACRO k_anonymity(tbl, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT system.main.min(size) AS k,
            system.main.count(*) AS classes,
            coalesce(system.main.sum(size), 0)::BIGINT AS "rows",
            system.main.sum(size)::DOUBLE / system.main.nullif(system.main.count(*), 0) AS average_class_size,
            system.main.max(size) AS largest_class,
            system.main.count(*) FILTER (size = 1) AS uniques
     FROM (
         SELECT system.main.create_sort_key(system.main.row(*COLUMNS(*)), ''ASC NULLS FIRST''), system.main.count(*)
         FROM (
             -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
             SELECT * FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
             WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
             UNION ALL
             SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                 THEN system.main.first(COLUMNS(*)) OVER (
                     PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                 ELSE COLUMNS(*) END
             FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
             WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
         ) AS source
         GROUP BY 1
     ) AS classes(class, size)',
    CASE
        WHEN qi IS NULL THEN 'source.*'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (leave it out to take every column)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- k_anonymize(tbl, k, qi, masks := NULL, keep := NULL, unlisted_limit := 0.2): a k-anonymous release that suppresses few cells, in any DuckDB client, without Python.
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
-- Text is compared byte by byte, whatever the collation. Other values are the same if SQL calls them equal: 0.0 and -0.0, or one month
-- and 30 days. The release then shows one look in all of these rows, the one whose text is last. Values of a UNION or VARIANT must also
-- have the same type. NULL is a value like any other.
--
-- Without keep, a column that is not in qi has no role. Nothing is released if such a column
--   singles out more than unlisted_limit of the rows (fewer than 50 rows count as 50), or more than half of them. A row is singled out
--     if no other row has its value; NULL counts as a value.
--   gives back more than half of the suppressed cells of a quasi-identifier. An attacker guesses a cell from the other rows with the same
--     value of the column, if 95 of 100 of them agree. Guesses count if at most 5 of 100 are wrong, and at most half as many as if the
--     attacker always took the most common value.
-- Nothing is released either if all columns without a role together single out more than half of the rows. A higher unlisted_limit takes the
-- place of the half. All rows are counted. Below the limits there is no warning: unique_columns() shows the shares.
-- With keep, every column needs a role, and those in keep are never an error.
--
-- A mask may show a column at levels that need no table: leading characters, 981** (zip IN DIGITS (3)), intervals of numbers,
-- [30, 40) (age IN INTERVALS (5, 10)), or of dates, 2026-Q4 (born IN INTERVALS (month, quarter)). Labels, levels and what they lose
-- are those of the Python package: an interval is cut where one of a wider width of the column ends, a mask that names the column
-- alone permits all levels that other masks list, and the loss of a level is the share of the other values of its column that the
-- label of a row also stands for, in thousandths of a cell. To the greedy a level is a column of its own, which a mask shows together
-- with all that are coarser. Classes are counted by the labels that rows show.
--
-- Arguments:
--   tbl     VARCHAR       name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                         'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL, and read once.
--   k       BIGINT        least rows of a class
--   qi      VARCHAR[]     the quasi-identifiers, at most 12, each level counted. Other columns are released unchanged.
--   masks   VARCHAR[][]   lists of the columns that are shown together, maybe at levels: [['zip IN DIGITS (3)', 'age'], ['age'], []].
--                         NULL permits every combination.
--   keep    VARCHAR[]     the columns that are released unchanged on purpose; then all others have to be in qi
--   unlisted_limit        without keep: share of the rows, 0 to 1, that a column without a role may single out; 1 permits every column
--
-- Result columns:
--   those of tbl, with their names, order and types; suppressed cells are NULL. An ENUM in qi becomes VARCHAR, because its type
--   would list what is suppressed; an ENUM inside of a list or struct is an error. A column with levels becomes VARCHAR, under
--   the name that qi has for it.
--
-- Errors, beside those above: levels of another kind, or INTERVALS without widths; a column with INTERVALS has values that are no
-- numbers or dates (they are counted, none is named), or one of more than 36 digits.
--
-- Cost: one scan of tbl, one GROUP BY, and for each mask (2^12 at most) one GROUP BY of the row types that are left; for unlisted columns
-- one GROUP BY of their cells, and one of as many cells for each quasi-identifier.
CREATE OR REPLACE MACRO k_anonymize(tbl, k, qi := NULL, masks := NULL, keep := NULL, unlisted_limit := 0.2) AS TABLE
FROM system.main.query(system.main.list_extract(system.main.list_transform(system.main.list_transform(system.main.list_value(
    -- The masks, or NULL: of each column that one names the place in qi; DIGITS, INTERVALS or PERIODS; and these levels as a list.
    CASE
        WHEN masks IS NULL OR qi IS NULL THEN NULL
        WHEN system.main.len(masks::VARCHAR[][]) = 0 THEN system.main.error('kanon: masks is an empty list')
        ELSE system.main.list_transform(masks::VARCHAR[][], lambda mask: CASE
            WHEN mask IS NULL THEN system.main.error('kanon: masks holds NULL instead of a list of columns')
            ELSE system.main.list_transform(system.main.list_transform(mask, lambda shown: system.main.struct_pack(
                place := coalesce(
                    system.main.subtract(system.main.nullif(system.main.list_position(
                        system.main.list_transform(qi::VARCHAR[], lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
                        system.main.translate(system.main.regexp_replace(shown, '(?is)^(.+?)\s+IN\s+(DIGITS|INTERVALS|HIERARCHY|BINS|'
                            'REGIONS|RECTANGLES|RANGES|SETS|MEANS|MEDIANS)\b.*$', '\1'), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')), 0), 1),
                    system.main.error('kanon: a mask names a column that is not in qi'))::BIGINT,
                kind := CASE system.main.upper(system.main.regexp_extract(shown, '(?is)^.+?\s+IN\s+(DIGITS|INTERVALS|HIERARCHY|BINS|'
                            'REGIONS|RECTANGLES|RANGES|SETS|MEANS|MEDIANS)\b', 1))
                    WHEN '' THEN ''
                    WHEN 'DIGITS' THEN 'DIGITS'
                    WHEN 'INTERVALS'
                    THEN CASE WHEN system.main.regexp_matches(shown, '(?is)\s+IN\s+INTERVALS\b.*[a-z]') THEN 'PERIODS' ELSE 'INTERVALS' END
                    ELSE system.main.error('kanon: a mask has levels of another kind than DIGITS and INTERVALS '
                        '(take these, or release with the Python package kanon-sql)')
                END,
                levels := system.main.regexp_extract(shown, '(?is)^.+?\s+IN\s+(?:DIGITS|INTERVALS)\b(.*)$', 1))),
                lambda shown: system.main.struct_pack(
                    place := system.main.struct_extract(shown, 'place'), kind := system.main.struct_extract(shown, 'kind'), steps := CASE
                    WHEN system.main.struct_extract(shown, 'kind') = 'INTERVALS'
                        AND system.main.trim(system.main.struct_extract(shown, 'levels')) = ''
                    THEN system.main.error('kanon: INTERVALS in a mask has no widths (write age IN INTERVALS (5, 10); '
                        'the Python package kanon-sql chooses intervals)')
                    WHEN NOT system.main.regexp_full_match(
                        system.main.struct_extract(shown, 'levels'), '\s*(\(\s*[\w.]+(\s*,\s*[\w.]+)*\s*\)\s*)?')
                    THEN system.main.error('kanon: the levels of a mask cannot be read (write zip IN DIGITS (5, 3), '
                        'age IN INTERVALS (5, 10) or born IN INTERVALS (month, year))')
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
                        ELSE system.main.error('kanon: a mask has a level that is no number of characters from 1 on, no width above 0 '
                            'of at most 18 digits before and behind the point, and none of day, month, quarter, year and decade')
                    END)
                END))
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
     "kanon types" AS MATERIALIZED (
         SELECT system.main.row_number() OVER (ORDER BY cells ASC NULLS LAST) AS type, cells, size
         FROM (SELECT system.main.list_value({1}), system.main.count(*) FROM "kanon source" AS source GROUP BY 1)
             AS types(cells, size)
     ),
     {4},
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
             SELECT system.main.list_concat(classes.types, system.main.list_value(one.type)) AS types,
                    system.main.list_aggregate(classes.types, ''min'') AS lowest, classes.size AS size, one.size AS more, classes.mask,
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
                      after.mask ASC NULLS LAST, lowest ASC NULLS LAST
             LIMIT 1
         )
         SELECT repaired.type, repaired.size, chosen.mask, repaired.codes
         FROM (SELECT system.main.unnest(types), mask FROM cheapest) AS chosen(type, mask)
         JOIN recurring."kanon repaired" AS repaired ON repaired.type = chosen.type)
     ),
     "kanon shown" AS MATERIALIZED (
         {9}
     ),
     -- The columns without a role; and last a constant, so that there is one.
     "kanon names" AS MATERIALIZED (
         SELECT CASE WHEN {19} AND system.main.len(names) > 1 THEN system.main.error(system.main.concat(''kanon: the column '',
                    system.main.list_extract(names, 1), '' has no role next to keep; nothing was released (name it in keep or in qi, or ''
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
                     SELECT place, -1 AS qi, system.main.format(''{{}} {{:.1f}}% of the rows'',
                                CASE WHEN place > 0 THEN ''singles out'' ELSE ''together single out'' END,
                                system.main."/"(system.main.multiply(100.0::DOUBLE, single), "rows")) AS words
                     FROM (
                         SELECT place, system.main.sum(alike) AS "rows", system.main.count(*) FILTER (alike = 1) AS single
                         FROM "kanon alike"
                         GROUP BY place
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
     )
     SELECT *
     FROM (
         -- names as in the source, whatever the case of those in qi
         SELECT * {10} FROM "kanon source" AS source WHERE false
         UNION ALL
         SELECT source.* REPLACE ({2})
         FROM "kanon source" AS source
         LEFT JOIN "kanon shown" AS class ON class.cells = system.main.list_value({1})
         WHERE CASE WHEN class.shown IS NOT NULL THEN true
                   ELSE system.main.error(''kanon: rows are left over that fit no class of at least {3} rows; nothing was released ''
                       ''(choose a smaller k, or permit the mask [])'')
               END
             AND (SELECT bearable FROM "kanon unlisted")
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
    -- {1} a cell of each quasi-identifier: its bytes and its text; of one with levels its text
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the quasi-identifiers: qi := [''zip'', ''age''])')
        WHEN system.main.len(qi::VARCHAR[]) = 0 THEN system.main.error('kanon: qi is an empty list')
        WHEN system.main.len(qi::VARCHAR[]) > 12
            THEN system.main.error(system.main.format('kanon: {} quasi-identifiers, and at most 12 without Python '
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
        ELSE system.main.error('kanon: k is not a whole number from 1 on') END,
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
                 SELECT mask, place, kind, system.main.list_sort(system.main.list_distinct(steps), ''ASC'', ''NULLS LAST'') AS steps
                 FROM (VALUES {0}) AS asked(mask, place, kind, steps)
                 QUALIFY CASE
                     WHEN system.main.count(*) OVER (PARTITION BY mask, place) > 1 THEN system.main.error(''kanon: a mask names a column twice'')
                     WHEN kind <> ''DIGITS'' AND asked.steps <> system.main.list_sort(system.main.list_distinct(asked.steps), ''ASC'', ''NULLS LAST'')
                     THEN system.main.error(''kanon: the widths of intervals must ascend (write age IN INTERVALS (5, 10))'')
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
             -- The levels of a column are those of all masks together; "partly" tells whether masks differ in them. Widths are whole
             -- numbers, of as many decimals as the finest has.
             "kanon recodings" AS MATERIALIZED (
                 SELECT place, kind, partly, every, steps, decimals, longest, "values",
                        kind <> ''DIGITS'' OR every OR system.main.list_aggregate(steps, ''max'') >= longest AS exact,
                        system.main.list_transform(steps, lambda step: system.main.replace(system.main.left(step::VARCHAR, system.main.subtract(
                            system.main.add(system.main.length(step::VARCHAR), decimals), 18)), ''.'', '''')::HUGEINT) AS widths
                 FROM (
                     SELECT *, system.main.list_aggregate(system.main.list_transform(steps, lambda step: system.main.length(
                                   system.main.rtrim(system.main.right(step::VARCHAR, 18), ''0''))), ''max'') AS decimals
                     FROM (
                         SELECT place, system.main.count(DISTINCT steps) > 1 AS partly,
                                system.main.bool_or(system.main.len(steps) = 0) AS every,
                                system.main.list_sort(system.main.list_distinct(system.main.flatten(system.main.list(steps))),
                                    ''ASC'', ''NULLS LAST'') AS steps,
                                CASE WHEN system.main.min(kind) = system.main.max(kind) THEN system.main.min(kind)
                                    ELSE system.main.error(''kanon: masks have levels of two kinds for a column (give it one)'') END AS kind
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
                            WHEN system.main.bool_or(kind = ''INTERVALS'' AND system.main.length(digits) > 36) OVER (PARTITION BY place)
                            THEN system.main.error(system.main.concat(''kanon: values of the column '', system.main.list_extract({3},
                                system.main.add(place, 1)), '' have more than 36 digits, with as many decimals as the widths have ''
                                ''(release with the Python package kanon-sql)''))
                            WHEN kind = ''INTERVALS'' AND minus
                            THEN system.main.subtract(CASE WHEN system.main.regexp_matches(rest, ''[1-9]'') THEN ''-1''::HUGEINT ELSE 0::HUGEINT END,
                                                      system.main.concat(''0'', digits)::HUGEINT)
                            WHEN kind = ''INTERVALS'' THEN system.main.concat(''0'', digits)::HUGEINT
                            ELSE 0
                        END AS number
                 FROM (
                     SELECT place, cell, text, size, kind, "values", minus, known, far,
                            CASE WHEN known AND point > 0
                                THEN system.main.ltrim(system.main.rpad(word, point::INTEGER, ''0''), ''0'') ELSE '''' END AS digits,
                            CASE WHEN point > 0 THEN system.main.substring(word, system.main.add(point, 1)) ELSE word END AS rest
                     FROM (
                         SELECT place, cell, text, size, kind, "values",
                                system.main.concat(read.whole, read.part) AS word, read.sign = ''-'' AS minus,
                                system.main.add(system.main.add(system.main.length(read.whole), coalesce(TRY_CAST(read.power AS BIGINT), 0)),
                                    decimals) AS point,
                                system.main.regexp_full_match(text, ''-?infinity|([0-9]{{4,7}}-[0-9]{{2}}-[0-9]{{2}} \(BC\)|''
                                    ''[0-9]{{5,7}}-[0-9]{{2}}-[0-9]{{2}})( [0-9:.]+)?'') AS far,
                                CASE kind
                                    WHEN ''INTERVALS''
                                    THEN system.main.regexp_full_match(
                                             text, '' *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{{1,4}})? *'')
                                         AND coalesce(system.main.abs(system.main.subtract(system.main.add(
                                             coalesce(TRY_CAST(read.power AS BIGINT), 0),
                                             system.main.length(system.main.ltrim(system.main.concat(read.whole, read.part), ''0''))),
                                             system.main.add(system.main.length(read.part), 1))) <= 400
                                             OR NOT system.main.regexp_matches(system.main.concat(read.whole, read.part), ''[1-9]''), false)
                                    WHEN ''PERIODS''
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
                 SELECT texts.place, rung, cell, size, system.main.encode(CASE
                            WHEN text IS NULL OR number IS NULL THEN NULL  -- asked for of each value, so that it is an error if one has none
                            WHEN rung = 0 THEN text
                            WHEN kind = ''DIGITS'' THEN system.main.concat(system.main.left(text, step::BIGINT), system.main.repeat(
                                ''*'', system.main.greatest(0, system.main.subtract(system.main.length(text), step::BIGINT))))
                            WHEN kind = ''PERIODS'' THEN CASE step
                                WHEN 1 THEN system.main.left(text, 10)
                                WHEN 2 THEN system.main.left(text, 7)
                                WHEN 3 THEN system.main.concat(system.main.left(text, 4), ''-Q'', system.main.divide(
                                    system.main.add(system.main.substring(text, 6, 2)::BIGINT, 2), 3))
                                WHEN 4 THEN system.main.left(text, 4)
                                ELSE system.main.concat(system.main.left(text, 3), ''0s'') END
                            ELSE system.main.concat(''['', system.main.list_aggregate(system.main.list_transform(
                                system.main.list_value(
                                    system.main.list_aggregate(system.main.list_transform(wider, lambda width: system.main.subtract(number,
                                        system.main.mod(system.main.add(system.main.mod(number, width), width), width))), ''max''),
                                    system.main.list_aggregate(system.main.list_transform(wider, lambda width: system.main.subtract(
                                        system.main.add(number, width),
                                        system.main.mod(system.main.add(system.main.mod(number, width), width), width))), ''min'')),
                                lambda bound: system.main.concat(CASE WHEN bound < 0 THEN ''-'' ELSE '''' END, system.main.rtrim(
                                    system.main.regexp_replace(system.main.concat(
                                        system.main.substring(system.main.lpad(system.main.abs(bound)::VARCHAR, 40, ''0''), 1,
                                            system.main.subtract(40, decimals)), ''.'',
                                        system.main.substring(system.main.lpad(system.main.abs(bound)::VARCHAR, 40, ''0''),
                                            system.main.subtract(41, decimals))), ''^0*([0-9]+\.[0-9]*?)0*$'', ''\1''), ''.''))),
                                ''string_agg'', '', ''), '')'')
                        END) AS label
                 FROM "kanon values" AS texts
                 JOIN (
                     SELECT recodings.*, rungs.rung, rungs.step,
                            system.main.list_filter(widths, lambda width, number: number >= rungs.rung) AS wider
                     FROM "kanon recodings" AS recodings JOIN "kanon rungs" AS rungs ON rungs.place = recodings.place
                 ) AS rungs ON rungs.place = texts.place
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
                     ELSE asked.kind <> ''DIGITS'' OR system.main.list_aggregate(asked.steps, ''max'') >= longest
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
                    '({}::BIGINT, {}::BIGINT, ''{}'', ''[{}]''::DECIMAL(36, 18)[])',
                    system.main.subtract(number, 1), system.main.struct_extract(shown, 'place'), system.main.struct_extract(shown, 'kind'),
                    coalesce(system.main.list_aggregate(system.main.struct_extract(shown, 'steps'), 'string_agg', ', '), ''))))),
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
        WHEN keep IS NULL THEN system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.concat('"', system.main.replace(name, '"', '""'), '"')), 'string_agg', ', ')
        WHEN system.main.list_aggregate(keep::VARCHAR[], 'count') < system.main.len(keep::VARCHAR[])
            THEN system.main.error('kanon: keep holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]),
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')))
            < system.main.len(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]))
        THEN system.main.error('kanon: keep names a column twice, or one of qi')
        ELSE coalesce(system.main.list_aggregate(system.main.list_transform(system.main.list_concat(qi::VARCHAR[], keep::VARCHAR[]),
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
        system.main.concat('"', system.main.replace(name, '"', '""'), '"'))), 'string_agg', ', '), '')
)), 1));
-- k_mapping(tbl, qi, population): how many rows of a population match what the rows of a table show.
--
-- A table is k-map anonymous in a population if what each row shows matches at least k rows of the population. Values match if
-- their texts are equal; NULL and '*' of tbl show nothing, so all match. Text is compared byte by byte whatever the collation of
-- the column, because the reader sees bytes. Generalized cells are texts like any other: take the same cells for the population.
--
-- Arguments:
--   tbl          VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                            'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi           VARCHAR[]   the quasi-identifiers, which the population has under the same names
--   population   VARCHAR     name of the table of the population, as tbl
--
-- Result columns (one row):
--   k                 BIGINT   the fewest rows of the population that match a class; NULL for an empty table. 0: some class matches none
--   classes           BIGINT   number of classes
--   unmatched         BIGINT   classes that no row of the population matches
--   rows              BIGINT   number of rows
--   population_rows   BIGINT   number of rows of the population
--
-- Source: Sweeney: Computational Disclosure Control, PhD thesis, MIT, 2001.
-- Cost: one scan of both tables, and one GROUP BY of the population for each set of columns that rows show.
CREATE OR REPLACE MACRO k_mapping(tbl, qi := NULL, population := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#shown" AS MATERIALIZED (
         SELECT system.main.list_transform(shown, lambda cell: CASE WHEN cell <> ''*'' THEN cell END) AS shown,
                system.main.count(*) AS size
         FROM (SELECT system.main.list_value(*COLUMNS(*)) AS shown
               FROM (
                   SELECT CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                           -- a maximum has 0.0 for -0.0, wherever it is inside
                           THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                           ELSE COLUMNS(*) END AS VARCHAR) COLLATE "binary"
                   FROM (
                       -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                       SELECT * FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                       WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                       UNION ALL
                       SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                           THEN system.main.first(COLUMNS(*)) OVER (
                               PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                           ELSE COLUMNS(*) END
                       FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                       WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                   ) AS source
               ) AS source)
             AS rows
         GROUP BY 1
     ), "kanon#population" AS MATERIALIZED (
         SELECT person, system.main.count(*) AS many
         FROM (SELECT system.main.list_value(*COLUMNS(*)) AS person
               FROM (
                   SELECT CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                           -- a maximum has 0.0 for -0.0, wherever it is inside
                           THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                           ELSE COLUMNS(*) END AS VARCHAR) COLLATE "binary"
                   FROM (
                       -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                       SELECT * FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                       WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                       UNION ALL
                       SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                           THEN system.main.first(COLUMNS(*)) OVER (
                               PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                           ELSE COLUMNS(*) END
                       FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                       WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                   ) AS source
               ) AS source)
             AS people
         GROUP BY 1
     ), "kanon#matched" AS (
         SELECT size, coalesce(many, 0) AS many
         FROM (
             SELECT size, system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden,
                    system.main.create_sort_key(system.main.row(shown), ''ASC NULLS FIRST'') AS key
             FROM "kanon#shown"
         ) AS classes
         LEFT JOIN (
             SELECT hidden, key, system.main.sum(many) AS many
             FROM (
                 SELECT hidden, many, system.main.create_sort_key(system.main.row(
                     system.main.list_transform(system.main.range(1, system.main.len(person) + 1),
                                                lambda place: CASE WHEN NOT hidden[place] THEN person[place] END)), ''ASC NULLS FIRST'') AS key
                 FROM "kanon#population",
                      (SELECT DISTINCT system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden FROM "kanon#shown") AS masks
             ) AS seen
             GROUP BY 1, 2
         ) AS people USING (hidden, key)
     )
     SELECT system.main.min(many)::BIGINT AS k,
            system.main.count(*) AS classes,
            system.main.count(*) FILTER (many = 0) AS unmatched,
            coalesce(system.main.sum(size), 0)::BIGINT AS "rows",
            (SELECT coalesce(system.main.sum(many), 0)::BIGINT FROM "kanon#population") AS population_rows
     FROM "kanon#matched"',
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the columns that the population shares with the table)')
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (name the columns that the population shares with the table)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(population::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(population::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(population::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: population is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(population::VARCHAR, 'NULL')))
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- l_diversity(tbl, qi, sa, l := 2): how diverse a sensitive attribute is in the equivalence classes of a table.
--
-- Let a class of n rows have m different values of the sensitive attribute, r_1 >= r_2 >= ... >= r_m times each. It is
--   distinct l-diverse         if m >= l,
--   frequency l-diverse        if r_1 * l <= n: no value has more than 1 / l of the rows,
--   entropy l-diverse          if its entropy, - sum r_i / n * log (r_i / n), is at least log l,
--   recursive (c, l)-diverse   if r_1 < c * (r_l + ... + r_m),
-- and a table is if every class is. The figures are the largest l, and the bound of c, of which that is true.
-- NULL is a value like any other: rows that are NULL in the same column are alike there, and NULL is one more value of the
-- sensitive attribute. In quasi-identifiers, text is compared byte by byte whatever the collation of the column ('a' and 'A'
-- are two values even under NOCASE), because the reader sees bytes. Values of the sensitive attribute are one where the column
-- calls them equal: 'flu' and 'FLU' under NOCASE, one month and 30 days; one disease spelled two ways is no diversity.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi    VARCHAR[]   the quasi-identifiers; NULL takes every column but sa. Case does not matter, as everywhere in SQL.
--   sa    VARCHAR     the sensitive attribute, a column that is not in qi
--   l     BIGINT      a whole number from 1 to 1000000: the l of recursive_c and of the classes below
--
-- Result columns (one row; every figure but a number of rows or classes is NULL for an empty table):
--   distinct_l        BIGINT   the fewest different values in a class
--   frequency_l       DOUBLE   = worst_size / worst_count
--   entropy_l         DOUBLE   exp of the least entropy of a class, rounded to 9 decimals: 3 equally frequent values give 3
--   recursive_c       DOUBLE   = recursive_top / recursive_rest: the table is recursive (c, l)-diverse for every c above it;
--                              infinite, with recursive_rest = 0, if a class has fewer than l values
--   highest_share     DOUBLE   the highest share that a value has in its class: worst_count / worst_size
--   worst_size        BIGINT   rows of a class where a value has that share, the largest one
--   worst_count       BIGINT   rows of that value there
--   recursive_top     BIGINT   r_1 of a class where c is highest, the largest one
--   recursive_rest    BIGINT   r_l + ... + r_m there
--   distinct_below    BIGINT   classes that are not distinct l-diverse
--   frequency_below   BIGINT   classes that are not frequency l-diverse
--   entropy_below     BIGINT   classes that are not entropy l-diverse
--   classes           BIGINT   number of classes
--   rows              BIGINT   number of rows
--
-- Fractions are compared exactly, by 84 binary places: two that differ, with less than 2^42 rows a class, differ by more.
--
-- Source: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-diversity, TKDD 1(1), 2007.
-- Cost: one scan, one GROUP BY, and one over the (class, value) pairs.
CREATE OR REPLACE MACRO l_diversity(tbl, qi := NULL, sa := NULL, l := 2) AS TABLE
FROM system.main.query(system.main.format(
    'SELECT system.main.min(different) AS distinct_l,
            system.main.max(share).size::DOUBLE / system.main.max(share).top AS frequency_l,
            system.main.min(entropy) AS entropy_l,
            CASE system.main.max(ratio).rest
                WHEN 0 THEN ''Infinity''::DOUBLE ELSE system.main.max(ratio).top::DOUBLE / system.main.max(ratio).rest
            END AS recursive_c,
            system.main.max(share).top::DOUBLE / system.main.max(share).size AS highest_share,
            system.main.max(share).size AS worst_size,
            system.main.max(share).top AS worst_count,
            system.main.max(ratio).top AS recursive_top,
            system.main.max(ratio).rest AS recursive_rest,
            system.main.count(*) FILTER (different < {3}) AS distinct_below,
            system.main.count(*) FILTER (size < top::HUGEINT * {3}) AS frequency_below,
            system.main.count(*) FILTER (entropy < {3}) AS entropy_below,
            system.main.count(*) AS classes,
            coalesce(system.main.sum(size), 0)::BIGINT AS "rows"
     FROM (
         SELECT size,
                top,
                different,
                system.main.round(system.main.exp((size * system.main.round(system.main.ln(size) * 1e15)::HUGEINT
                                                   - logs) / size / 1e15), 9) AS entropy,
                system.main.struct_pack(places := top * (1::HUGEINT << 84) // size, size := size, top := top) AS share,
                system.main.struct_pack(
                    unbounded := rest = 0,
                    whole := CASE rest WHEN 0 THEN 0 ELSE top // rest END,
                    places := CASE rest WHEN 0 THEN 0 ELSE (top % rest) * (1::HUGEINT << 84) // rest END,
                    top := top,
                    rest := rest) AS ratio
         FROM (
             SELECT system.main.sum(size)::BIGINT AS size,
                    system.main.max(size) AS top,
                    system.main.count(*) AS different,
                    system.main.sum(size * system.main.round(system.main.ln(size) * 1e15)::HUGEINT) AS logs,
                    (system.main.sum(size) - {4})::BIGINT AS rest
             FROM (
                 SELECT system.main.create_sort_key(system.main.row(true, *COLUMNS(* EXCLUDE ("kanon#value"))), ''ASC NULLS FIRST'') AS class,
                        "kanon#value" AS value,
                        system.main.count(*) AS size
                 FROM (
                     -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                     SELECT * FROM (SELECT {2} AS "kanon#value", {0} FROM {1} AS source) AS "kanon#s"
                     WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                     UNION ALL
                     SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                         THEN system.main.first(COLUMNS(*)) OVER (
                             PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                         ELSE COLUMNS(*) END
                     FROM (SELECT {2} AS "kanon#value", {0} FROM {1} AS source) AS "kanon#s"
                     WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                 ) AS source
                 GROUP BY 1, 2
             ) AS pairs
             GROUP BY class
         ) AS counts
     ) AS classes',
    CASE
        WHEN qi IS NULL THEN 'COLUMNS(source.* EXCLUDE ("' || system.main.replace(coalesce(sa::VARCHAR, ''), '"',
            '""') || '"))'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (NULL takes every column but sa)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        WHEN system.main.list_contains(
            system.main.list_transform(qi::VARCHAR[], lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
            system.main.translate(sa::VARCHAR, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
        THEN system.main.error('kanon: sa is one of the columns of qi (a sensitive attribute is no quasi-identifier)')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE
        WHEN coalesce(sa::VARCHAR, '') = '' THEN system.main.error('kanon: sa is missing (name the sensitive attribute)')
        ELSE 'source."' || system.main.replace(coalesce(sa::VARCHAR, ''), '"', '""') || '"'
    END,
    CASE
        WHEN TRY_CAST(l AS DOUBLE) BETWEEN 1 AND 1000000 AND TRY_CAST(l AS DOUBLE) = system.main.floor(TRY_CAST(l AS DOUBLE))
        THEN coalesce(TRY_CAST(l AS BIGINT), 0)
        ELSE system.main.error('kanon: l is not a whole number from 1 to 1000000')
    END,
    CASE coalesce(TRY_CAST(l AS BIGINT), 0)
        WHEN 1 THEN '0'
        WHEN 2 THEN 'system.main.max(size)'
        ELSE system.main.format('system.main.list_aggregate(system.main.max(size, {}), ''sum'')',
                                coalesce(TRY_CAST(l AS BIGINT), 0) - 1)
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- pattern_guided(tbl, masks, k := 2, qi, keep := NULL, unlisted_limit := 0.2): a k-anonymous release in which each row shows exactly the columns of one mask.
--
-- It is k_anonymize(tbl, k, qi, masks, keep, unlisted_limit); what is said there, of levels and columns without a role too, holds here. It needs k_anonymize.sql.
--
-- Arguments:
--   tbl     VARCHAR       name of a table, view, CTE or quoted file, optionally qualified
--   masks   VARCHAR[][]   lists of the columns that are shown together, maybe at levels: [['zip IN DIGITS (3)', 'age'], ['age'], []]
--   k       BIGINT        least rows of a class
--   qi      VARCHAR[]     the quasi-identifiers, at most 12, each level counted. Other columns are released unchanged.
--   keep    VARCHAR[]     the columns that are released unchanged on purpose; then all others have to be in qi
--   unlisted_limit        without keep: share of the rows, 0 to 1, that a column without a role may single out
--
-- Result columns:
--   those of tbl, with their names, order and types; suppressed cells are NULL, columns with levels VARCHAR
--
-- Cost: one scan of tbl, one GROUP BY, and for each mask one GROUP BY of the row types that are left.
CREATE OR REPLACE MACRO pattern_guided(tbl, masks, k := 2, qi := NULL, keep := NULL, unlisted_limit := 0.2) AS TABLE
FROM k_anonymize(
    tbl, k, qi := qi, keep := keep, unlisted_limit := unlisted_limit,
    masks := CASE WHEN masks IS NULL THEN system.main.error('kanon: masks is missing: [[''zip'', ''age''], [''age''], []]') ELSE masks END
);
-- profile(tbl): what each column of a table holds, and the role that it seems to have in a release.
--
-- A role is a guess, by the name of the column, its type, what its texts look like, and how many rows it singles out; its reason
-- says by which. It is a start for a policy, and no proof that a column tells nothing. No cell value is in the result.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--
-- Result columns (one row per column; no order is promised):
--   column_name   VARCHAR
--   data_type     VARCHAR   without the labels of an ENUM
--   distinct      BIGINT    values, NULL aside; approximate where the table has more than 4 million cells
--   nulls         BIGINT    rows that are NULL
--   uniques       BIGINT    rows with a value that no other row has; then estimated from one part of the values
--   rows          BIGINT    number of rows
--   role          VARCHAR   identifier, quasi-identifier, sensitive or kept
--   reason        VARCHAR   why
--
-- Cost: six scans, and a GROUP BY over at most 4 million cells.
CREATE OR REPLACE MACRO profile(tbl) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#hashed" AS MATERIALIZED (
         -- DuckDB''s own hash is one for an empty list, a list of NULL, and NULL, for 0 and -1 as HUGEINT, and under some collations
         SELECT system.main.list_value(*COLUMNS(*)) AS v FROM (
             SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''VARCHAR|TUPLE\(|VARIANT|HUGEINT|DECIMAL\((19|[23][0-9])|\[|MAP\(|UNION\(|STRUCT\('')
                 THEN system.main.hash(system.main.create_sort_key(system.main.row(COLUMNS(*)), ''ASC NULLS LAST'')) ELSE system.main.hash(COLUMNS(*)) END
             FROM (
                 -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                 SELECT * FROM (FROM {0} AS source) AS "kanon#s"
                 WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
                 UNION ALL
                 SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                     THEN system.main.first(COLUMNS(*)) OVER (
                         PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                     ELSE COLUMNS(*) END
                 FROM (FROM {0} AS source) AS "kanon#s"
                 WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
             ) AS source
         )
     ), "kanon#table" AS MATERIALIZED (
         SELECT *, (1 + "rows" * system.main.len(names) // 4000000)::UBIGINT AS parts
         FROM (
             SELECT system.main.list_value(*COLUMNS(*)) AS names FROM (
                 SELECT system.main.alias(COLUMNS(* EXCLUDE ("kanon#one")))
                 FROM (SELECT 1 AS "kanon#one") LEFT JOIN (FROM {0} AS source LIMIT 1) ON true
             )
         ), (
             SELECT system.main.list_value(*COLUMNS(*)) AS types FROM (
                 SELECT system.main.left(system.main.typeof(system.main.list_value(COLUMNS(* EXCLUDE ("kanon#one")))), -2)
                 FROM (SELECT 1 AS "kanon#one") LEFT JOIN (FROM {0} AS source LIMIT 1) ON true
             )
         ), (
             SELECT system.main.list_value(*COLUMNS(*)) AS filled FROM (SELECT system.main.count(COLUMNS(*)) FROM {0} AS source)
         ), (
             SELECT system.main.list(many ORDER BY i ASC NULLS LAST) AS approximate
             FROM (
                 SELECT i, system.main.approx_count_distinct(v) AS many
                 FROM (SELECT system.main.unnest(v) AS v, system.main.unnest(system.main.range(1, system.main.len(v) + 1)) AS i FROM "kanon#hashed")
                 GROUP BY i
             )
         ), (SELECT system.main.count(*) AS "rows" FROM "kanon#hashed")
     ), "kanon#counted" AS (
         -- the values of a column, and those that one row alone has: of a table of many cells by one part of the values
         SELECT i, system.main.count(*) AS met, system.main.count(CASE WHEN n = 1 THEN 1 END) AS alone
         FROM (
             SELECT i, v, system.main.count(*) AS n
             FROM (
                 SELECT parts, system.main.unnest(v) AS v, system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i
                 FROM "kanon#hashed", "kanon#table"
             )
             WHERE v % parts = 0
             GROUP BY i, v
         )
         GROUP BY i
     ), "kanon#looks" AS (
         -- what the texts of some rows look like
         SELECT i, system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[^@\s]+@[^@\s]+\.[^@\s]+'') THEN 1 ELSE 0 END) >= 0.8 AS email,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''(?i)[0-9a-f]{{8}}-?([0-9a-f]{{4}}-?){{3}}[0-9a-f]{{12}}'') THEN 1 ELSE 0 END) >= 0.8 AS uuid,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[A-Z]{{2}}[0-9]{{2}} ?([0-9A-Z]{{4}} ?){{2,7}}[0-9A-Z]{{0,4}}'') THEN 1 ELSE 0 END) >= 0.8 AS iban,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[0-9]{{3}}-[0-9]{{2}}-[0-9]{{4}}'') THEN 1 ELSE 0 END) >= 0.8 AS ssn,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[+(]?[0-9][0-9 ()./-]{{6,18}}[0-9]'')
                                      AND system.main.regexp_matches(look, ''[ ()+/-]'') THEN 1 ELSE 0 END) >= 0.8 AS phone,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ T].*)?|[0-9]{{1,2}}[./][0-9]{{1,2}}[./][0-9]{{4}}'') THEN 1 ELSE 0 END) >= 0.8 AS iso_date
         FROM (
             SELECT system.main.unnest(texts) AS look, system.main.unnest(system.main.range(1, system.main.len(texts) + 1)) AS i
             FROM (
                 SELECT system.main.list_value(*COLUMNS(*)) AS texts
                 FROM (SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (FROM {0} AS source USING SAMPLE reservoir(4096 ROWS) REPEATABLE (7)))
             )
         )
         WHERE look IS NOT NULL
         GROUP BY i
     )
     SELECT column_name, data_type, "distinct", nulls, uniques, "rows", role[1] AS role, role[2] AS reason
     FROM (
         SELECT *, CASE
             WHEN shown >= 20 AND email THEN [''identifier'', ''its values look like e-mail addresses'']
             WHEN shown >= 20 AND uuid THEN [''identifier'', ''its values look like UUIDs'']
             WHEN shown >= 20 AND textual AND iban THEN [''identifier'', ''its values look like bank accounts'']
             WHEN shown >= 20 AND ssn THEN [''identifier'', ''its values look like social security numbers'']
             WHEN system.main.regexp_full_match(called, ''(.*_)?(e_?mail|phone|mobile|fax|ssn|social_security|iban|passport|licen[cs]e|account|login|user_?name|ip|uuid|guid|street|address|((first|last|full|middle|maiden|sur|given|family|patient|customer|person)_?name))(_.*)?|name|surname'')
             THEN [''identifier'', ''it is called like something that belongs to one person'']
             WHEN dated AND system.main.regexp_full_match(called, ''(.*birth.*|dob)'') THEN [''quasi-identifier'', ''a date of birth'']
             WHEN system.main.regexp_full_match(called, ''(.*_)?(zip(_?code)?|post_?code|postal(_?code)?|plz)(_.*)?'') THEN [''quasi-identifier'', ''a postal code'']
             WHEN numeric AND system.main.regexp_full_match(called, ''(.*_)?(lat|latitude|lon|lng|long|longitude)(_.*)?'') THEN [''quasi-identifier'', ''a coordinate'']
             WHEN shown >= 20 AND textual AND phone AND NOT dated THEN [''identifier'', ''its values look like phone numbers'']
             WHEN system.main.regexp_full_match(called, ''(.*_)?(disease|diagnos[a-z]*|icd[0-9]*|drug|medication|hiv|salary|income|wage|score|grade|crime|result|illness|symptom|treatment)s?(_.*)?'')
             THEN [''sensitive'', ''it is called like something that people keep to themselves'']
             WHEN dated THEN [''quasi-identifier'', ''a date'']
             WHEN system.main.regexp_full_match(called, ''(.*_)?(age|sex|gender|race|ethnic[a-z]*|nationality|country|region|state|province|county|city|town|marital|education|occupation|job|profession|religion|language|height|weight|year|work[a-z]*|employment|relationship)(_.*)?'')
             THEN [''quasi-identifier'', ''it is called like something that others know'']
             WHEN numbered AND shown >= 20 AND uniques * 20 >= shown * 19 THEN [''identifier'', ''nearly every row has a value of its own'']
             WHEN uniques * 100 >= "rows" AND "rows" > 0 THEN [''quasi-identifier'', ''its values single rows out'']
             ELSE [''kept'', ''nothing was recognized in its name or its values'']
         END AS role
         FROM (
             SELECT names[i] AS column_name, system.main.regexp_replace(types[i], ''ENUM\(.*\)'', ''ENUM'') AS data_type, "rows",
                    "rows" - filled[i] AS nulls, filled[i] AS shown,
                    (CASE WHEN parts > 1 THEN system.main.least(approximate[i] - CASE WHEN filled[i] < "rows" THEN 1 ELSE 0 END, filled[i])
                          ELSE coalesce(met, 0) - CASE WHEN filled[i] < "rows" THEN 1 ELSE 0 END END)::BIGINT AS "distinct",
                    system.main.least(coalesce(alone, 0) * parts, "rows")::BIGINT AS uniques,
                    system.main.regexp_replace(system.main.lower(names[i]), ''[^a-z0-9]+'', ''_'', ''g'') AS called, email, uuid, iban, ssn, phone,
                    types[i] = ''VARCHAR'' AS textual,
                    system.main.regexp_full_match(types[i], ''U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*'') AS numeric,
                    system.main.regexp_full_match(types[i], ''U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|VARCHAR|UUID|BLOB'') AS numbered,
                    system.main.regexp_matches(types[i], ''^(DATE|TIMESTAMP)'') OR coalesce(iso_date, false) AS dated
             FROM (SELECT *, system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#table")
             LEFT JOIN "kanon#counted" USING (i) LEFT JOIN "kanon#looks" USING (i)
         )
     )',
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[1:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- reidentification_risk(tbl, qi := NULL, population := NULL, fraction := NULL): how likely it is that a row is linked to the
-- right person.
--
-- The risk of a row is 1 / (size of its equivalence class).
--   prosecutor: the attacker knows that the person is in the table. Highest risk 1 / k, average classes / rows.
--   journalist: the attacker does not know it, and looks among all rows of the population that match what a row shows. Without a
--               table of the population, the released table stands for it, and the highest risk is the prosecutor's. This is an
--               upper bound: classes of a population are no smaller.
--   marketer:   the attacker links every row at random within its class; the expected share of right links.
-- If the table is a random sample, the sizes of its classes tell how many rows are unique in the population: three models.
-- NULL is a value like any other: rows that are NULL in the same column are alike there. Text is compared byte by byte
-- whatever the collation of the column ('a' and 'A' are two values even under NOCASE), because the reader sees bytes.
--
-- Arguments:
--   tbl          VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                            'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi           VARCHAR[]   the quasi-identifiers; by default every column. Case does not matter, as everywhere in SQL.
--   population   VARCHAR     name of a table of the population with the columns of qi. Values match if their texts are equal; NULL
--                            and '*' of tbl show nothing, so all match. A class that no row matches is an error.
--   fraction     DOUBLE      share of the population that is in tbl, above 0 and below 1
--
-- Result columns (one row; every risk and share is NULL for an empty table):
--   prosecutor_risk             DOUBLE   1 / size of the smallest class
--   prosecutor_risk_average     DOUBLE   classes / rows
--   journalist_risk             DOUBLE   1 / the fewest rows of the population that match a class; without a population, see above
--   marketer_risk               DOUBLE   classes / rows
--   uniques                     BIGINT   rows that are alone in their class
--   uniques_share               DOUBLE   uniques / rows
--   share_above_0_2             DOUBLE   share of rows whose risk is above 0.2: in classes of fewer than 5 rows
--   share_above_0_05            DOUBLE   share of rows whose risk is above 0.05: in classes of fewer than 20 rows
--   population_uniques          DOUBLE   rows that are unique in the population, by the rule of Dankar et al.: for a fraction of up to
--                                        0.1 that of Pitman, else the lesser of the others. NULL without a fraction, as what follows
--   population_uniques_zayatz   DOUBLE   the same by Zayatz' model
--   population_uniques_pitman   DOUBLE   the same by Pitman's model; NULL where the likelihood has no maximum that Newton's method finds
--   population_uniques_snb      DOUBLE   the same by the slide negative binomial model; NULL where its equations have no solution
--   rows                        BIGINT   number of rows
--   classes                     BIGINT   number of classes
--
-- Sources: Zayatz: Estimation of the number of unique population elements using a sample, 1991. Hoshino: Applying Pitman's sampling
-- formula to microdata disclosure risk assessment, 2001. Chen, Keller-McNulty: Estimation of identification disclosure risk in
-- microdata, 1998, with the classes of the population by Shlosser as in Haas, Stokes, 1998. Dankar, El Emam, Neisa, Roffey:
-- Estimating the re-identification risk of clinical data sets, 2012.
-- Cost: one scan, one GROUP BY; with a population one GROUP BY of it for each set of columns that rows show; with a fraction up to 100
-- steps of O(rows).
CREATE OR REPLACE MACRO reidentification_risk(tbl, qi := NULL, population := NULL, fraction := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#classes" AS MATERIALIZED (
         SELECT system.main.create_sort_key(system.main.row(*COLUMNS(*)), ''ASC NULLS FIRST'') AS class, system.main.count(*) AS size
         FROM (
             -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
             SELECT * FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
             WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
             UNION ALL
             SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                 THEN system.main.first(COLUMNS(*)) OVER (
                     PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                 ELSE COLUMNS(*) END
             FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
             WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
         ) AS source
         GROUP BY 1
     ){2}
     SELECT 1::DOUBLE / system.main.min(size) AS prosecutor_risk,
            system.main.count(*)::DOUBLE / system.main.sum(size) AS prosecutor_risk_average,
            {3} AS journalist_risk,
            system.main.count(*)::DOUBLE / system.main.sum(size) AS marketer_risk,
            system.main.count(*) FILTER (size = 1) AS uniques,
            (system.main.count(*) FILTER (size = 1))::DOUBLE / system.main.sum(size) AS uniques_share,
            coalesce(system.main.sum(size) FILTER (size < 5), 0)::DOUBLE / system.main.sum(size) AS share_above_0_2,
            coalesce(system.main.sum(size) FILTER (size < 20), 0)::DOUBLE / system.main.sum(size) AS share_above_0_05,
            {4}
            coalesce(system.main.sum(size), 0)::BIGINT AS "rows",
            system.main.count(*) AS classes
     FROM "kanon#classes"',
    CASE
        WHEN qi IS NULL THEN 'source.*'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (leave it out to take every column)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE WHEN population IS NULL THEN ''
         WHEN qi IS NULL THEN system.main.error('kanon: a population needs qi, the columns that it shares with the table')
         ELSE system.main.format('
     , "kanon#shown" AS MATERIALIZED (
         SELECT DISTINCT system.main.list_transform(shown, lambda cell: CASE WHEN cell <> ''*'' THEN cell END) AS shown
         FROM (SELECT system.main.list_value(*COLUMNS(*)) AS shown
               FROM (
                   SELECT CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                           -- a maximum has 0.0 for -0.0, wherever it is inside
                           THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                           ELSE COLUMNS(*) END AS VARCHAR) COLLATE "binary"
                   FROM (
                       -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                       SELECT * FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                       WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                       UNION ALL
                       SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                           THEN system.main.first(COLUMNS(*)) OVER (
                               PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                           ELSE COLUMNS(*) END
                       FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                       WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                   ) AS source
               ) AS source) AS rows
     ), "kanon#population" AS MATERIALIZED (
         SELECT person, system.main.count(*) AS many
         FROM (SELECT system.main.list_value(*COLUMNS(*)) AS person
               FROM (
                   SELECT CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                           -- a maximum has 0.0 for -0.0, wherever it is inside
                           THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                           ELSE COLUMNS(*) END AS VARCHAR) COLLATE "binary"
                   FROM (
                       -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                       SELECT * FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                       WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                       UNION ALL
                       SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                           THEN system.main.first(COLUMNS(*)) OVER (
                               PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                           ELSE COLUMNS(*) END
                       FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                       WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                   ) AS source
               ) AS source) AS people
         GROUP BY 1
     ), "kanon#matched" AS (
         SELECT coalesce(many, 0) AS many
         FROM (
             SELECT system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden,
                    system.main.create_sort_key(system.main.row(shown), ''ASC NULLS FIRST'') AS key
             FROM "kanon#shown"
         ) AS classes
         LEFT JOIN (
             SELECT hidden, key, system.main.sum(many) AS many
             FROM (
                 SELECT hidden, many, system.main.create_sort_key(system.main.row(
                     system.main.list_transform(system.main.range(1, system.main.len(person) + 1),
                                                lambda place: CASE WHEN NOT hidden[place] THEN person[place] END)), ''ASC NULLS FIRST'') AS key
                 FROM "kanon#population",
                      (SELECT DISTINCT system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden FROM "kanon#shown") AS masks
             ) AS seen
             GROUP BY 1, 2
         ) AS people USING (hidden, key)
     )',
    CASE
            WHEN qi IS NULL THEN 'source.*'
            WHEN system.main.len(qi::VARCHAR[]) = 0
                THEN system.main.error('kanon: qi is an empty list (leave it out to take every column)')
            WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
                THEN system.main.error('kanon: qi holds NULL instead of a column name')
            WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
                lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi names a column twice')
            ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
                lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                            'string_agg', ', ')
        END,
    CASE system.main.list_aggregate(
                system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
                'string_agg', '.')
            WHEN system.main.nullif(tbl::VARCHAR, '')
            THEN system.main.list_aggregate(
                system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                    '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                        THEN part ELSE '"' || part || '"' END),
                 'string_agg', '.')
            ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
                coalesce(tbl::VARCHAR, 'NULL')))
        END,
    CASE system.main.list_aggregate(
                system.main.regexp_extract_all(population::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
                'string_agg', '.')
            WHEN system.main.nullif(population::VARCHAR, '')
            THEN system.main.list_aggregate(
                system.main.list_transform(system.main.regexp_extract_all(population::VARCHAR,
                    '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                        THEN part ELSE '"' || part || '"' END),
                 'string_agg', '.')
            ELSE system.main.error(system.main.format('kanon: population is not the name of a table: {} (write patients, main.patients or "odd name")',
                coalesce(population::VARCHAR, 'NULL')))
        END)
    END
    || CASE WHEN fraction IS NULL THEN ''
            WHEN NOT coalesce(TRY_CAST(fraction AS DOUBLE) > 0 AND TRY_CAST(fraction AS DOUBLE) < 1, false)
            THEN system.main.error('kanon: fraction is not a number between 0 and 1: the share of the population that is in the table')
            ELSE '
     , "kanon#sizes" AS MATERIALIZED (
         SELECT size::DOUBLE AS size, system.main.count(*)::DOUBLE AS many FROM "kanon#classes" GROUP BY 1
     ), "kanon#sample" AS MATERIALIZED (
         SELECT *, system.main.round(n / f) AS "all", system.main.list_transform(system.main.range(1, u::BIGINT), lambda i: i::DOUBLE) AS places,
                system.main.list_transform(system.main.range(1, n::BIGINT), lambda i: i::DOUBLE) AS numbers
         FROM (
             SELECT system.main.sum(size * many) AS n,
                    system.main.sum(many) AS u,
                    coalesce(system.main.sum(many) FILTER (size = 1), 0) AS c1,
                    coalesce(system.main.sum(many) FILTER (size = 2), 0) AS c2,
                    ' || TRY_CAST(fraction AS DOUBLE)::VARCHAR || '::DOUBLE AS f
             FROM "kanon#sizes"
         ) AS counts
     ), "kanon#larger" AS MATERIALIZED (
         -- how many classes are larger than each size from 1 on
         SELECT coalesce(system.main.list(size ORDER BY size ASC NULLS LAST), []) AS sizes,
                coalesce(system.main.list(many ORDER BY size ASC NULLS LAST), []) AS many
         FROM (
             SELECT size, (SELECT system.main.sum(many) FROM "kanon#sizes" AS sizes WHERE sizes.size > numbers.size) AS many
             FROM (
                 SELECT system.main.unnest(system.main.range(1, (SELECT system.main.max(size) FROM "kanon#sizes")::BIGINT)) AS size
             ) AS numbers
         ) AS larger
     ), "kanon#pitman" AS (
         WITH RECURSIVE "kanon#steps" AS (
             SELECT 0 AS step, 1e9 AS moved,
                    CASE WHEN system.main.isfinite(t) AND t > 0 THEN t ELSE 1 END AS t,
                    CASE WHEN system.main.isfinite(a) AND a > 0 AND a < 1 THEN a ELSE 0.5 END AS a
             FROM (
                 SELECT t, (t * (c1 - n) + (n - 1) * c1) / (n * u) AS a
                 FROM (
                     SELECT n, u, c1, (n * u * c - c1 * (n - 1) * (2 * u + c)) / (2 * c1 * u + c1 * c - n * c) AS t
                     FROM (SELECT n, u, c1, c1 * (c1 - 1) / system.main.greatest(c2, 1) AS c FROM "kanon#sample" WHERE c1 > 0) AS given
                 ) AS given
             ) AS given
             UNION ALL
             SELECT step + 1, system.main.abs(next_t - t) / (1 + system.main.abs(t)) + system.main.abs(next_a - a), next_t, next_a
             FROM (
                 SELECT step, t, a, next_a, CASE WHEN next_t > -next_a THEN next_t ELSE (t - next_a) / 2 END AS next_t
                 FROM (
                     SELECT step, t, a, t - (f1 * j22 - f2 * j12) / (j11 * j22 - j12 * j12) AS next_t,
                            system.main.greatest(a / 2, system.main.least((1 + a) / 2, a - (f2 * j11 - f1 * j12) / (j11 * j22 - j12 * j12))) AS next_a
                     FROM (
                         SELECT step, t, a,
                                system.main.list_aggregate(system.main.list_transform(places, lambda i: 1 / (t + i * a)), ''sum'')
                                    - system.main.list_aggregate(system.main.list_transform(numbers, lambda i: 1 / (t + i)), ''sum'') AS f1,
                                system.main.list_aggregate(system.main.list_transform(places, lambda i: i / (t + i * a)), ''sum'')
                                    - coalesce(system.main.list_aggregate(system.main.list_transform(sizes, lambda i: many[i] / (i - a)), ''sum''), 0) AS f2,
                                system.main.list_aggregate(system.main.list_transform(numbers, lambda i: 1 / ((t + i) * (t + i))), ''sum'')
                                    - system.main.list_aggregate(system.main.list_transform(places, lambda i: 1 / ((t + i * a) * (t + i * a))), ''sum'') AS j11,
                                -system.main.list_aggregate(system.main.list_transform(places, lambda i: i / ((t + i * a) * (t + i * a))), ''sum'') AS j12,
                                -system.main.list_aggregate(system.main.list_transform(places, lambda i: i * i / ((t + i * a) * (t + i * a))), ''sum'')
                                    - coalesce(system.main.list_aggregate(system.main.list_transform(sizes, lambda i: many[i] / ((i - a) * (i - a))), ''sum''), 0) AS j22
                         FROM "kanon#steps", "kanon#sample", "kanon#larger"
                         WHERE step < 100 AND moved > 1e-10
                     ) AS slopes
                 ) AS steps
             ) AS steps
         )
         SELECT system.main.exp(system.main.lgamma(t + 1) - system.main.lgamma(t + a) + a * system.main.ln("all")) AS uniques
         FROM "kanon#steps", "kanon#sample" WHERE moved <= 1e-10
     ), "kanon#shlosser" AS (
         SELECT system.main.any_value(u) + system.main.any_value(c1) * system.main.sum(size * f * f * system.main.pow(1 - f * f, size - 1) * many)
                    / system.main.sum(system.main.pow(1 - f, size) * (system.main.pow(1 + f, size) - 1) * many)
                    * system.main.pow(system.main.sum(system.main.pow(1 - f, size) * many) / system.main.sum(size * f * system.main.pow(1 - f, size - 1) * many), 2) AS k
         FROM "kanon#sizes", "kanon#sample"
     ), "kanon#snb" AS (
         WITH RECURSIVE "kanon#steps" AS (
             SELECT 0 AS step, system.main.row_number() OVER (ORDER BY a ASC NULLS LAST, b ASC NULLS LAST) AS start, a, b, 1e9 AS off
             FROM (SELECT system.main.unnest([1, 0.1, 0.01, 10]::DOUBLE[]) AS a) AS a, (SELECT system.main.unnest([0.5, 0.1, 0.01, 0.9]::DOUBLE[]) AS b) AS b
             UNION ALL
             SELECT step + 1, start,
                    a * system.main.exp(system.main.greatest(-1, system.main.least(1, -(g1 * j22 - g2 * j12) / (j11 * j22 - j12 * j21)))),
                    1 / (1 + (1 - b) / b * system.main.exp(-system.main.greatest(-1, system.main.least(1, -(g2 * j11 - g1 * j21) / (j11 * j22 - j12 * j21))))),
                    system.main.abs(g1) + system.main.abs(g2)
             FROM (
                 SELECT step, start, a, b,
                        system.main.ln(k * f / c1) + a * system.main.ln(b / w) + system.main.ln(1 + a * d / w) AS g1,
                        system.main.ln(k * f * f / 2 / c2) + system.main.ln(a) + a * system.main.ln(b) + system.main.ln(1 - b)
                            - (a + 2) * system.main.ln(w) + system.main.ln(2 - (1 - a) * d) AS g2,
                        a * (system.main.ln(b / w) + d / (w + a * d)) AS j11,
                        b * (1 - b) * a * (1 / b - (1 - f) / w - (1 - f) / (w * (w + a * d))) AS j12,
                        a * (1 / a + system.main.ln(b / w) + d / (2 - (1 - a) * d)) AS j21,
                        b * (1 - b) * (a / b - 1 / (1 - b) - (a + 2) * (1 - f) / w + (1 - a) * (1 - f) / (2 - (1 - a) * d)) AS j22
                 FROM (
                     SELECT *, (1 - b) * (1 - f) AS d, 1 - (1 - b) * (1 - f) AS w
                     FROM "kanon#steps", "kanon#sample", "kanon#shlosser"
                     WHERE step < 100 AND off > 1e-10 AND c1 > 0 AND c2 > 0 AND a BETWEEN 1e-9 AND 1e9 AND b BETWEEN 1e-12 AND 1 - 1e-12
                 ) AS steps
             ) AS slopes
             WHERE system.main.isfinite(g1) AND system.main.isfinite(g2) AND j11 * j22 <> j12 * j21
         )
         SELECT system.main.min_by(k * system.main.pow(b, a), start) AS uniques
         FROM "kanon#steps", "kanon#shlosser", "kanon#sample" WHERE off <= 1e-10 AND k * system.main.pow(b, a) <= "all"
     ), "kanon#zayatz" AS (
         SELECT system.main.any_value(c1) * system.main.any_value(c1) / system.main.any_value(f)
                    / system.main.sum(CASE WHEN "all" - size >= n - 1
                               THEN many * size * system.main.exp(system.main.lgamma("all" - size + 1) - system.main.lgamma("all" - size - n + 2)
                                                                  - system.main.lgamma("all") + system.main.lgamma("all" - n + 1))
                               ELSE 0 END) AS uniques
         FROM "kanon#sizes", "kanon#sample"
     ), "kanon#estimates" AS MATERIALIZED (
         SELECT CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE zayatz END AS zayatz, CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE pitman END AS pitman,
                CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE snb END AS snb, f
         FROM (
             SELECT n, c1, f, (SELECT uniques FROM "kanon#zayatz") AS zayatz, (SELECT uniques FROM "kanon#pitman") AS pitman,
                    (SELECT uniques FROM "kanon#snb") AS snb
             FROM "kanon#sample"
         ) AS models
     )'
    END,
    CASE WHEN population IS NULL THEN '1::DOUBLE / system.main.min(size)' ELSE
        '(SELECT CASE WHEN system.main.count(*) FILTER (many = 0) > 0
                      THEN system.main.error(system.main.format(''kanon: {} classes match no row of the population (take the coarser'
        || ' cells of the table for the population, too)'', system.main.count(*) FILTER (many = 0)))
                      ELSE 1::DOUBLE / system.main.min(many) END FROM "kanon#matched")'
    END,
    CASE WHEN fraction IS NULL
         THEN 'NULL::DOUBLE AS population_uniques, NULL::DOUBLE AS population_uniques_zayatz,
            NULL::DOUBLE AS population_uniques_pitman, NULL::DOUBLE AS population_uniques_snb,'
         ELSE '(SELECT CASE WHEN f <= 0.1 THEN coalesce(pitman, zayatz) ELSE system.main.least(zayatz, snb) END FROM "kanon#estimates")
                AS population_uniques,
            (SELECT zayatz FROM "kanon#estimates") AS population_uniques_zayatz,
            (SELECT pitman FROM "kanon#estimates") AS population_uniques_pitman,
            (SELECT snb FROM "kanon#estimates") AS population_uniques_snb,'
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- suda_scores(tbl, n := 3, qi := NULL): how special each row is: the scores of SUDA.
--
-- A minimal sample unique (MSU) of a row is a set of columns that singles it out, and of which no part does. With m columns and sets of
-- at most M = min(n, m - 1) of them, an MSU of k columns counts (m - k) (m - k - 1) ... (m - M): the fewer columns, the more.
-- These are the scores of Elliot et al., "SUDA: A program for detecting special uniques" (2005), as sdcMicro computes them by default.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   n     INTEGER     the greatest number of columns in a set
--   qi    VARCHAR[]   the columns to combine; by default every column. Case does not matter, as everywhere in SQL.
--
-- Result columns: those of the table, and
--   suda_score    DOUBLE     the sum over the MSUs of the row; 0 where it has none
--
-- Cost: a hash of every row for each set; for tables of up to a hundred thousand rows.
CREATE OR REPLACE MACRO suda_scores(tbl, n := 3, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#rows" AS MATERIALIZED (
         SELECT *, system.main.row_number() OVER () AS "kanon#row" FROM {0}
     ), "kanon#names" AS MATERIALIZED (
         SELECT system.main.list_value(*COLUMNS(*)) AS names FROM (
                 SELECT system.main.alias(COLUMNS(* EXCLUDE ("kanon#one")))
                 FROM (SELECT 1 AS "kanon#one") LEFT JOIN (SELECT {1} FROM {0} AS source LIMIT 1) ON true
             )
     ), "kanon#hashed" AS MATERIALIZED (
         -- DuckDB''s own hash is one for an empty list, a list of NULL, and NULL, for 0 and -1 as HUGEINT, and under some collations
         SELECT "kanon#row", system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#row"))) AS v
         FROM (
             SELECT "kanon#row", CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(* EXCLUDE ("kanon#row"))), ''VARCHAR|TUPLE\(|VARIANT|HUGEINT|DECIMAL\((19|[23][0-9])|\[|MAP\(|UNION\(|STRUCT\('')
                 THEN system.main.hash(system.main.create_sort_key(system.main.row(COLUMNS(* EXCLUDE ("kanon#row"))), ''ASC NULLS LAST'')) ELSE system.main.hash(COLUMNS(* EXCLUDE ("kanon#row"))) END
             FROM (
                 -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                 SELECT * FROM (SELECT "kanon#row", {1} FROM "kanon#rows" AS source) AS "kanon#s"
                 WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
                 UNION ALL
                 SELECT "kanon#row", CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(* EXCLUDE ("kanon#row"))), ''INTERVAL|VARIANT'')
                     THEN system.main.first(COLUMNS(* EXCLUDE ("kanon#row"))) OVER (
                         PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(* EXCLUDE ("kanon#row")))) ORDER BY CAST(COLUMNS(* EXCLUDE ("kanon#row")) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                     ELSE COLUMNS(* EXCLUDE ("kanon#row")) END
                 FROM (SELECT "kanon#row", {1} FROM "kanon#rows" AS source) AS "kanon#s"
                 WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
             ) AS source
         )
     ), "kanon#sets" AS (
         WITH RECURSIVE "kanon#chosen" AS (
             SELECT [i] AS chosen FROM (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
             UNION ALL
             SELECT system.main.list_concat(chosen, [i])
             FROM "kanon#chosen", (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
             WHERE i > chosen[-1] AND system.main.len(chosen) < system.main.least({2}, (SELECT system.main.greatest(system.main.len(names) - 1, 1) FROM "kanon#names"))
         )
         FROM "kanon#chosen"
     ), "kanon#unique" AS MATERIALIZED (
         SELECT chosen, system.main.any_value("kanon#row") AS "row"
         FROM "kanon#hashed", "kanon#sets"
         GROUP BY chosen, system.main.hash(system.main.list_select(v, chosen))
         HAVING system.main.count(*) = 1
     ), "kanon#scored" AS (
         -- minimal sample uniques: no part of the set singles the row out
         SELECT "row", system.main.sum(system.main.list_aggregate(system.main.list_transform(
                    system.main.range(system.main.len(chosen), system.main.least({2}, system.main.greatest(system.main.len(names) - 1, 1)) + 1),
                    lambda i: system.main.greatest(system.main.len(names) - i, 1)), ''product'')) AS score
         FROM "kanon#unique" AS one, "kanon#names"
         WHERE NOT EXISTS (
             FROM "kanon#unique" AS part
             WHERE part."row" = one."row" AND system.main.len(part.chosen) < system.main.len(one.chosen)
               AND system.main.list_has_all(one.chosen, part.chosen)
         )
         GROUP BY "row"
     )
     SELECT "kanon#r".* EXCLUDE ("kanon#row"), coalesce(score, 0) AS suda_score
     FROM "kanon#rows" AS "kanon#r" LEFT JOIN "kanon#scored" ON "row" = "kanon#row"',
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[1:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE
        WHEN qi IS NULL THEN 'source.*'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (leave it out to take every column)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE WHEN n >= 1 THEN system.main.least(n::BIGINT, 60)::VARCHAR
        ELSE system.main.error('kanon: n is the greatest number of columns of a set, at least 1')
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- suppression_certificate(released, original, k, qi): what a release by suppression has cost, and what any such release costs at least.
--
-- The lower bound looks at each row alone. A row without NULL whose combination fewer than k rows have must lose a cell; if
-- fewer than k rows agree with it in all columns but one, whichever that is, it must lose two. Rows with NULL may look like others
-- for nothing, and count 0. No release in which k rows look alike, by whatever solver, suppresses fewer cells.
--
-- A cell is suppressed if it is NULL or the text '*'. As in utility(), those of the original are not counted, and values are
-- compared as text, byte by byte. The two tables need no row key and no common order. Nothing here tells which row became which:
-- it is the release that kanon-sql or any other tool says it made of this table.
--
-- Arguments:
--   released   VARCHAR     name of the released table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                          'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   original   VARCHAR     the same for the table it was made from
--   k          BIGINT      what the release promises
--   qi         VARCHAR[]   the quasi-identifiers, under the same names in both tables
--
-- Result columns (one row):
--   status             VARCHAR   'OPTIMAL' where suppressed_cells is lower_bound, else 'FEASIBLE'; 'BROKEN' where a class has fewer
--                                than k rows, whatever the cost
--   smallest_class     BIGINT    rows of the smallest class; NULL for an empty table
--   classes            BIGINT    equivalence classes of the release
--   rows               BIGINT    number of rows
--   cells              BIGINT    rows x quasi-identifiers
--   suppressed_cells   BIGINT    see above
--   lower_bound        BIGINT    cells that every release suppresses
--   gap                DOUBLE    (suppressed_cells - lower_bound) / suppressed_cells; 0 where nothing is suppressed
--
-- Errors: the tables differ in the number of rows; a column shows more cells in the release than in the original, or a value
-- that the original does not have there, so that cells are not suppressed alone; fewer than k rows, of which there is no release.
--
-- Cost: each table is read once; a sort of (distinct rows of the original x columns) keys.
CREATE OR REPLACE MACRO suppression_certificate(released, original, k, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#classes" AS MATERIALIZED (
         -- different values of a VARIANT or UNION may have one text, and before DuckDB 2 those of an ARRAY
         SELECT system.main.list_transform(cells, lambda cell: CASE WHEN cell.text <> ''*'' THEN cell.text END) AS cells,
                system.main.list_transform(cells, lambda cell: CASE WHEN cell.text <> ''*'' THEN cell.key END) AS keys,
                system.main.count(*) AS size
         FROM (
             SELECT system.main.list_value(*COLUMNS(*)) AS cells
             FROM (
                 SELECT system.main.struct_pack(
                     text := CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                             -- a maximum has 0.0 for -0.0, wherever it is inside
                             THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                             ELSE COLUMNS(*) END AS VARCHAR) COLLATE "binary",
                     key := CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''VARIANT|UNION\(|\[[0-9]'')
                         THEN system.main.create_sort_key(system.main.row(COLUMNS(*)), ''ASC NULLS LAST'') END)
                 FROM (
                     -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                     SELECT * FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                     WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                     UNION ALL
                     SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                         THEN system.main.first(COLUMNS(*)) OVER (
                             PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                         ELSE COLUMNS(*) END
                     FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                     WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                 ) AS source
             ) AS source
         ) AS rows
         GROUP BY 1, 2
     ), "kanon#types" AS MATERIALIZED (
         SELECT system.main.row_number() OVER () AS type, cells, size
         FROM (
             SELECT system.main.list_transform(cells, lambda cell: CASE WHEN cell <> ''*'' THEN cell END) AS cells,
                    system.main.count(*) AS size
             FROM (SELECT system.main.list_value(*COLUMNS(*)) AS cells
                   FROM (
                       SELECT CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                               -- a maximum has 0.0 for -0.0, wherever it is inside
                               THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                               ELSE COLUMNS(*) END AS VARCHAR) COLLATE "binary"
                       FROM (
                           -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                           SELECT * FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                           WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                           UNION ALL
                           SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                               THEN system.main.first(COLUMNS(*)) OVER (
                                   PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                               ELSE COLUMNS(*) END
                           FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                           WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                       ) AS source
                   ) AS source) AS rows
             GROUP BY 1
         ) AS types
     ), "kanon#columns" AS MATERIALIZED (
         SELECT place, cell, system.main.sum(after) AS after, system.main.sum(before) AS before
         FROM (
             SELECT system.main.unnest(system.main.range(1, system.main.len(cells) + 1)) AS place, system.main.unnest(cells) AS cell,
                    size AS after, 0 AS before
             FROM "kanon#classes"
             UNION ALL
             SELECT system.main.unnest(system.main.range(1, system.main.len(cells) + 1)), system.main.unnest(cells), 0, size
             FROM "kanon#types"
         ) AS cells
         GROUP BY 1, 2
     ), "kanon#near" AS (
         -- the most rows that agree with a row type in all columns but one
         SELECT type, system.main.max(size) AS size
         FROM (
             SELECT type, system.main.sum(size) OVER (PARTITION BY place, key) AS size
             FROM (
                 SELECT type, size, place, system.main.create_sort_key(system.main.row(system.main.list_transform(
                            system.main.range(1, system.main.len(cells) + 1),
                            lambda here: CASE WHEN here <> place THEN cells[here] END)), ''ASC NULLS FIRST'') AS key
                 FROM (SELECT *, system.main.unnest(system.main.range(1, system.main.len(cells) + 1)) AS place FROM "kanon#types") AS types
             ) AS keys
         ) AS agreeing
         GROUP BY 1
     ), "kanon#figures" AS (
         SELECT (SELECT system.main.min(size) FROM "kanon#classes") AS smallest,
                (SELECT system.main.count(*) FROM "kanon#classes") AS classes,
                (SELECT coalesce(system.main.sum(size), 0)::BIGINT FROM "kanon#classes") AS after,
                (SELECT coalesce(system.main.sum(size), 0)::BIGINT FROM "kanon#types") AS before,
                (SELECT coalesce(system.main.sum(size * system.main.len(cells)), 0)::BIGINT FROM "kanon#types") AS cells,
                (SELECT coalesce(system.main.sum(after - before), 0)::BIGINT FROM "kanon#columns" WHERE cell IS NULL) AS suppressed,
                (SELECT system.main.count(*) FROM "kanon#columns" WHERE cell IS NULL AND after < before) AS reappeared,
                (SELECT system.main.count(*) FROM "kanon#columns" WHERE cell IS NOT NULL AND after > before) AS unknown,
                (SELECT coalesce(system.main.sum(types.size * CASE WHEN near.size >= {3} OR system.main.len(types.cells) = 1 THEN 1 ELSE 2 END), 0)::BIGINT
                 FROM "kanon#types" AS types JOIN "kanon#near" AS near USING (type)
                 WHERE types.size < {3} AND system.main.list_aggregate(types.cells, ''count'') = system.main.len(types.cells)) AS least
     )
     SELECT CASE
                WHEN before > 0 AND before < {3} THEN system.main.error(''kanon: the original has fewer than k rows: it has no release'')
                WHEN after <> before THEN system.main.error(''kanon: the tables differ in their number of rows (certify a release with the table it was made from)'')
                WHEN reappeared > 0 THEN system.main.error(''kanon: a column shows more cells in the release than in the original (is it a release of this table?)'')
                WHEN unknown > 0 THEN system.main.error(''kanon: a column has values more often than the original, or others: not by suppression alone (see utility)'')
                WHEN smallest < {3} THEN ''BROKEN'' WHEN suppressed = least THEN ''OPTIMAL'' ELSE ''FEASIBLE''
            END AS status,
            smallest::BIGINT AS smallest_class, classes, after AS "rows", cells, suppressed AS suppressed_cells, least AS lower_bound,
            CASE WHEN suppressed = 0 THEN 0.0::DOUBLE ELSE (suppressed - least)::DOUBLE / suppressed END AS gap
     FROM "kanon#figures"',
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the quasi-identifiers)')
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (name the quasi-identifiers)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(released::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(released::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(released::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: released is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(released::VARCHAR, 'NULL')))
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(original::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(original::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(original::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: original is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(original::VARCHAR, 'NULL')))
    END,
    CASE WHEN k::BIGINT >= 1 THEN k::BIGINT::VARCHAR
        ELSE system.main.error('kanon: k is not a whole number from 1 on (write suppression_certificate(''released'', ''patients'', 5, ...))')
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- t_closeness(tbl, qi, sa, metric := 'equal', hierarchy := NULL): how far the classes of a table are from the whole table.
--
-- A table is t-close if in every equivalence class the distribution of the sensitive attribute is at most t away from that
-- of the whole table; the t given here is the smallest such t. The distance of two distributions is the earth mover's
-- distance: the least work of turning one into the other, where moving the share p from value a to value b costs
-- p * d(a, b). The metric d is from 0 to 1:
--   'equal'          1 for two different values: the total variation distance
--   'ordered'        the difference of their ranks among the values of sa, over the largest; NULL is the last value
--   'numeric'        their difference, over that of the largest and the smallest; for numbers, dates and timestamps, also
--                    as texts
--   'hierarchical'   the height of their lowest common ancestor, over the height of the tree
--   anything else    names a table with the columns a, b, distance: their distance there
-- Every figure is computed in whole numbers and is exact, that of a table of distances too: every class whose bounds leave
-- it a chance to be the worst gets an optimal transport plan. Fractional numbers and distances count to 18 decimals.
-- NULL is a value like any other: rows that are NULL in the same column are alike there, and NULL is one more value of the
-- sensitive attribute; for 'numeric' it is an error. In quasi-identifiers, text is compared byte by byte whatever the collation
-- of the column ('a' and 'A' are two values even under NOCASE), because the reader sees bytes. Values of the sensitive
-- attribute are one where the column calls them equal ('flu' and 'FLU' under NOCASE, one month and 30 days): the first of them.
--
-- Arguments:
--   tbl         VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                           'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi          VARCHAR[]   the quasi-identifiers; NULL takes every column but sa. Case does not matter, as everywhere in SQL.
--   sa          VARCHAR     the sensitive attribute, a column that is not in qi
--   metric      VARCHAR     see above; write '"equal"' or 'main.equal' for a table of that name. One row (a, b, distance)
--                           stands for both directions, rows (a, a, 0) may be missing, and the largest distance is 1.
--   hierarchy   VARCHAR     for 'hierarchical' only: name of the table of the tree. Its columns are level0, level1, ...: a
--                           value and its ancestors up to the root; or value, parent: a node and the node above it, where the
--                           root's parent is NULL, the root itself, or the root has no row.
--   Values of sa are found in these tables by their text, NULL by NULL.
--
-- Result columns (one row; t, its fraction and the worst classes are NULL for an empty table):
--   t               DOUBLE    = t_numerator / t_denominator
--   t_numerator     HUGEINT   the numerator of t as a fraction in lowest terms
--   t_denominator   HUGEINT   its denominator
--   worst_classes   BIGINT    number of classes at the distance t
--   worst_rows      BIGINT    number of rows in them
--   classes         BIGINT    number of classes
--   rows            BIGINT    number of rows
--
-- Errors: a value that the hierarchy lacks, a pair that the table of distances lacks, a hierarchy that is no tree, distances
-- that are no metric (a way over a third value may be shorter by 1e-9), sums beyond 37 digits. No error tells a value.
--
-- Source: Li, Li, Venkatasubramanian: t-closeness, ICDE 2007. Liang, Yuan: On the Complexity of t-Closeness Anonymization and
-- Related Problems, Section 2.1.
-- Cost: one scan, one GROUP BY, one over the (class, value) pairs; the rest is done once for all classes with the same counts
-- of values. No metric but a table of distances pairs the classes with values that they do not have; with v values, that
-- takes v^3 steps to check the triangle inequality, and v^2 a class and round.
CREATE OR REPLACE MACRO t_closeness(tbl, qi := NULL, sa := NULL, metric := 'equal', hierarchy := NULL) AS TABLE
FROM system.main.query(system.main.format(
    -- A pair is a value in a histogram: held rows of the size of each class that has it. Classes with one histogram are alike.
    -- A histogram is a list of whole numbers, place of the value * 2^42 + held.
    'WITH RECURSIVE "t_closeness cells" AS MATERIALIZED (
         SELECT class, value, system.main.sum(held)::BIGINT AS held
         FROM (
             SELECT class, system.main.min(value) OVER (PARTITION BY own) AS value, held
             FROM (
                 SELECT system.main.create_sort_key(system.main.row(true, *COLUMNS(* EXCLUDE ("kanon#own"))), ''ASC NULLS FIRST'') AS class,
                        "kanon#own" AS own, system.main.min({2}) AS value, system.main.count(*) AS held
                 FROM (
                     -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                     SELECT * FROM (SELECT {4} AS "kanon#own", {0} FROM {1} AS source) AS "kanon#s"
                     WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                     UNION ALL
                     SELECT "kanon#own", CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(* EXCLUDE ("kanon#own"))), ''INTERVAL|VARIANT'')
                         THEN system.main.first(COLUMNS(* EXCLUDE ("kanon#own"))) OVER (
                             PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(* EXCLUDE ("kanon#own")))) ORDER BY CAST(COLUMNS(* EXCLUDE ("kanon#own")) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                         ELSE COLUMNS(* EXCLUDE ("kanon#own")) END
                     FROM (SELECT {4} AS "kanon#own", {0} FROM {1} AS source) AS "kanon#s"
                     WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                 ) AS source
                 GROUP BY 1, 2
             ) AS spelled
         ) AS spelled
         GROUP BY class, value
     ),
     "t_closeness values" AS MATERIALIZED (
         SELECT value, system.main.row_number() OVER (ORDER BY value ASC NULLS LAST) AS place, system.main.sum(held) AS mass
         FROM "t_closeness cells"
         GROUP BY value
     ),
     "t_closeness pairs" AS MATERIALIZED (
         SELECT id, alike, size, all_classes, all_rows,
                (pair // (1::HUGEINT << 42))::BIGINT AS place,
                (pair % (1::HUGEINT << 42))::BIGINT AS held
         FROM (
             SELECT *, system.main.unnest(histogram) AS pair
             FROM (
                 SELECT system.main.row_number() OVER () AS id,
                        histogram,
                        size,
                        system.main.count(*) AS alike,
                        system.main.sum(system.main.count(*)) OVER () AS all_classes,
                        system.main.sum(size * system.main.count(*)) OVER () AS all_rows
                 FROM (
                     SELECT system.main.list_sort(
                                system.main.list(place * (1::HUGEINT << 42) + held), ''ASC'', ''NULLS LAST'') AS histogram,
                            system.main.sum(held) AS size
                     FROM "t_closeness cells" AS cells
                     JOIN "t_closeness values" AS known ON known.value IS NOT DISTINCT FROM cells.value
                     GROUP BY class
                 ) AS classes
                 GROUP BY histogram, size
             ) AS histograms
         ) AS pairs
     ),' || CASE
        -- What is too many in a class is moved, over 1.
        WHEN metric::VARCHAR = 'equal' THEN '
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, 1 AS scale,
                system.main.sum(system.main.greatest(0, all_rows * held - size * mass)) AS work
         FROM "t_closeness pairs" JOIN "t_closeness values" USING (place)
         GROUP BY id, alike, size, all_classes, all_rows
     )'
        -- The area between two staircases, over the spots of the values. From one value of a class to its next its own stair
        -- is level, and that of the whole table crosses it at most once: where it first is higher. The area under the stair
        -- of the whole table is summed from the left, so that each stretch is a difference of two such sums.
        WHEN metric::VARCHAR IN ('ordered', 'numeric') THEN '
     "t_closeness line" AS MATERIALIZED (
         SELECT place,
                spot,
                rows_up_to,
                spot * rows_up_to - moment AS area,
                system.main.max(spot) OVER () AS last_spot,
                system.main.max(spot * rows_up_to - moment) OVER () AS last_area
         FROM (
             SELECT place,
                    spot,
                    system.main.sum(mass) OVER (ORDER BY spot ASC NULLS LAST) AS rows_up_to,
                    system.main.sum(mass * spot) OVER (ORDER BY spot ASC NULLS LAST) AS moment
             FROM (' || CASE metric::VARCHAR
            WHEN 'ordered' THEN '
                 SELECT place, mass, place::HUGEINT - 1 AS spot FROM "t_closeness values"'
            ELSE '
                 SELECT place,
                        mass,
                        CASE
                            WHEN (system.main.max(number) OVER ())::DOUBLE
                                - (system.main.min(number) OVER ())::DOUBLE > 1e37 / (system.main.sum(mass) OVER ())
                            THEN system.main.error(''kanon: the numbers in sa have too many digits for exact sums (round them)'')
                            ELSE number - system.main.min(number) OVER ()
                        END AS spot
                 FROM (
                     SELECT *, digits::HUGEINT // (''1'' || system.main.repeat(''0'', system.main.min(zeros) OVER ()))::HUGEINT
                         AS number
                     FROM (
                         SELECT *, system.main.least(18, system.main.length(digits)
                                                     - system.main.length(system.main.rtrim(digits, ''0''))) AS zeros
                         FROM (
                             SELECT place,
                                    mass,
                                    CASE
                                        WHEN system.main.bool_or(value IS NULL) OVER ()
                                        THEN system.main.error(''kanon: sa holds NULL, which has no distance in the metric numeric'')
                                        WHEN system.main.bool_and(digits IS NOT NULL) OVER () THEN digits
                                        WHEN system.main.bool_and(moment IS NOT NULL) OVER () THEN moment::VARCHAR
                                        ELSE system.main.error(''kanon: the values of sa are not all numbers below 10^20 or all dates'')
                                    END AS digits
                             FROM (
                                 SELECT *,
                                        system.main.replace(TRY_CAST(system.main.decode(value) AS DECIMAL(38, 18))::VARCHAR,
                                                            ''.'', '''') AS digits,
                                        CASE
                                            WHEN system.main.regexp_matches(system.main.decode(value),
                                                '':[0-9]+([.][0-9]+)?[-+][0-9:]+$'')
                                            THEN system.main.epoch_us(TRY_CAST(system.main.decode(value) AS TIMESTAMPTZ))
                                            ELSE system.main.epoch_us(TRY_CAST(system.main.decode(value) AS TIMESTAMP))
                                        END AS moment
                                 FROM "t_closeness values"
                             ) AS texts
                         ) AS texts
                     ) AS texts
                 ) AS numbers'
        END || '
             ) AS spots
         ) AS spots
     ),
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, last_spot AS scale,
                system.main.sum(CASE
                    WHEN last_spot::DOUBLE * all_rows * size > 1e37
                    THEN system.main.error(''kanon: the numbers in sa have too many digits for exact sums (round them)'')
                    ELSE CASE WHEN lowest THEN size * area ELSE 0 END
                         + all_rows * held * (2 * turn - spot - next_spot)
                         - size * (2 * turn_area - area - next_area)
                END) AS work
         FROM (
             SELECT stairs.*,
                    system.main.greatest(stairs.spot, system.main.least(next_spot, coalesce(cuts.spot, next_spot))) AS turn,
                    system.main.greatest(stairs.area, system.main.least(next_area, coalesce(cuts.area, next_area))) AS turn_area
             FROM (
                 SELECT id, alike, size, all_classes, all_rows, spot, area, last_spot,
                        system.main.sum(held) OVER class AS held,
                        system.main.lead(spot, 1, last_spot) OVER class AS next_spot,
                        system.main.lead(area, 1, last_area) OVER class AS next_area,
                        system.main.row_number() OVER class = 1 AS lowest
                 FROM "t_closeness pairs" JOIN "t_closeness line" USING (place)
                 WINDOW class AS (PARTITION BY id ORDER BY spot ASC NULLS LAST ROWS UNBOUNDED PRECEDING)
             ) AS stairs
             ASOF LEFT JOIN "t_closeness line" AS cuts ON all_rows * held // size < rows_up_to
         ) AS stairs
         GROUP BY id, alike, size, all_classes, all_rows, last_spot
     )'
        -- What is too many below a node is moved over the edge above it, whose length is the difference of the two heights.
        -- A value that has nodes below it hangs at the height 0 under its own node.
        WHEN metric::VARCHAR = 'hierarchical' THEN '
     "t_closeness edges" AS MATERIALIZED (
         SELECT CASE
                    WHEN system.main.count(*) OVER (PARTITION BY way[1]) > 1
                    THEN system.main.error(''kanon: the hierarchy is no tree: two different rows begin with the same value'')
                    ELSE way
                END AS way,
                levels,
                system.main.count(*) OVER () AS edges
         FROM (
             SELECT DISTINCT
                    levels,
                    CASE
                        WHEN levels AND system.main.list_aggregate(labels, ''count'') < system.main.len(labels)
                            - CASE WHEN labels[1] IS NULL
                            THEN 1 ELSE 0 END
                        THEN system.main.error(''kanon: the hierarchy has an empty cell above level0'')
                        WHEN levels OR labels[2] IS NOT NULL AND labels[1] IS DISTINCT FROM labels[2] THEN labels
                        ELSE labels[:1]
                    END AS way
             FROM (
                 SELECT system.main.list_transform(cells, lambda cell: cell.label) AS labels,
                        CASE
                            WHEN system.main.len(cells) < 2
                                 OR system.main.list_transform(cells, lambda cell: cell.step) IS DISTINCT
                                     FROM system.main.range(system.main.len(cells))
                                 OR (cells[1].form = ''level'') <> (cells[-1].form = ''level'')
                            THEN system.main.error(''kanon: the columns of the hierarchy are not value, parent or level0, level1, ...'')
                            ELSE cells[1].form = ''level''
                        END AS levels
                 FROM (
                     SELECT system.main.list_sort(system.main.list_value(*COLUMNS(*)), ''ASC'', ''NULLS LAST'') AS cells
                     FROM (
                         SELECT system.main.struct_pack(
                             step := CASE
                                 WHEN system.main.lower(system.main.alias(COLUMNS(*))) = ''value'' THEN 0
                                 WHEN system.main.lower(system.main.alias(COLUMNS(*))) = ''parent'' THEN 1
                                 WHEN system.main.starts_with(system.main.lower(system.main.alias(COLUMNS(*))), ''level'')
                                 THEN TRY_CAST(system.main.substr(system.main.alias(COLUMNS(*)), 6) AS BIGINT)
                             END,
                             form := system.main.lower(system.main.alias(COLUMNS(*)))[:5],
                             label := system.main.encode(COLUMNS(*)::VARCHAR))
                         FROM {3} AS source
                     ) AS source
                 ) AS lines
             ) AS lines
         ) AS lines
     ),
     "t_closeness climbs" AS (
         SELECT way, levels FROM "t_closeness edges"
         UNION ALL
         SELECT CASE
                    WHEN system.main.len(climbs.way) > edges
                    THEN system.main.error(''kanon: the hierarchy is no tree: its parents lead round in a circle'')
                    ELSE system.main.list_concat(climbs.way, system.main.list_value(edges.way[2]))
                END,
                false
         FROM "t_closeness climbs" AS climbs
         JOIN "t_closeness edges" AS edges ON edges.way[1] = climbs.way[-1]
         WHERE NOT climbs.levels AND system.main.len(climbs.way) > 1 AND system.main.len(edges.way) > 1
     ),
     "t_closeness ways" AS MATERIALIZED (
         SELECT value,
                step - 1 AS height,
                system.main.struct_pack(level := CASE WHEN levels THEN step ELSE 1 END, label := way[step]) AS node,
                CASE
                    WHEN step < system.main.len(way)
                    THEN system.main.struct_pack(level := CASE WHEN levels THEN step + 1 ELSE 1 END, label := way[step + 1])
                END AS above
         FROM (
             SELECT *, way[1] AS value, system.main.unnest(system.main.range(1, system.main.len(way) + 1)) AS step
             FROM (
                 SELECT DISTINCT
                        levels,
                        system.main.unnest(CASE WHEN levels THEN [way]
                                           ELSE system.main.list_transform(way, lambda label, i: way[i:]) END) AS way
                 FROM (
                     SELECT system.main.arg_max(way, system.main.len(way)) AS way, system.main.any_value(levels) AS levels
                     FROM "t_closeness climbs"
                     GROUP BY way[1]
                 ) AS ways
             ) AS ways
         ) AS ways
     ),
     "t_closeness nodes" AS MATERIALIZED (
         SELECT node,
                CASE
                    WHEN parents > 1 THEN system.main.error(''kanon: the hierarchy is no tree: a node has two parents'')
                    WHEN system.main.count(*) FILTER (parents = 0) OVER () > 1
                    THEN system.main.error(''kanon: the hierarchy has several roots: all its values must end in one'')
                    ELSE height
                END AS height,
                system.main.max(height) OVER () AS scale
         FROM (
             SELECT node, system.main.max(height) AS height, system.main.count(DISTINCT above) AS parents
             FROM "t_closeness ways" GROUP BY node
         ) AS nodes
     ),
     "t_closeness branches" AS (
         SELECT value, ways.node AS node, upper.height - lower.height AS length, lower.scale AS scale
         FROM "t_closeness ways" AS ways
         JOIN "t_closeness nodes" AS lower ON lower.node = ways.node
         JOIN "t_closeness nodes" AS upper ON upper.node = ways.above
         UNION ALL
         SELECT value, system.main.struct_pack(level := 0, label := value), nodes.height, nodes.scale
         FROM "t_closeness ways" AS ways
         JOIN "t_closeness nodes" AS nodes ON nodes.node = ways.node
         WHERE ways.height = 0
     ),
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, system.main.any_value(scale) AS scale,
                system.main.sum(length * system.main.greatest(0, all_rows * held - size * mass)) AS work
         FROM (
             SELECT *, system.main.sum(held * alike) OVER (PARTITION BY node) AS mass
             FROM (
                 SELECT id, alike, size, all_classes, all_rows, node, length, scale, system.main.sum(held) AS held
                 FROM "t_closeness pairs"
                 JOIN (
                     SELECT place,
                            length,
                            scale,
                            CASE
                                WHEN node IS NULL
                                THEN system.main.error(''kanon: the hierarchy lacks a value of sa (compared by their text)'')
                                ELSE node
                            END AS node
                     FROM "t_closeness values" AS known
                     LEFT JOIN "t_closeness branches" AS branches ON branches.value IS NOT DISTINCT FROM known.value
                 ) AS branches USING (place)
                 GROUP BY ALL
             ) AS pairs
         ) AS pairs
         GROUP BY id, alike, size, all_classes, all_rows
     )'
        ELSE '
     "t_closeness space" AS (
         SELECT masses,
                largest,
                CASE
                    WHEN system.main.list_aggregate(system.main.list_transform(matrix,
                        lambda x: system.main.len(x)), ''min'') < system.main.len(matrix)
                    THEN system.main.error(''kanon: the table of distances lacks a pair of values of sa (compared by their text)'')
                    WHEN system.main.list_aggregate(system.main.list_transform(matrix,
                        lambda x: system.main.list_aggregate(system.main.list_transform(matrix, lambda y, j:
                             x[j] - system.main.list_aggregate(system.main.list_transform(x, lambda d, z: d
                                 + y[z]), ''min'')), ''max'')), ''max'') > largest // 1000000000
                    THEN system.main.error(''kanon: the distances are no metric: for a pair of values the way over a third is shorter'')
                    ELSE matrix
                END AS matrix
         FROM (
             SELECT system.main.list(mass ORDER BY place ASC NULLS LAST) AS masses,
                    system.main.list(distances ORDER BY place ASC NULLS LAST) AS matrix,
                    system.main.max(largest) AS largest
             FROM (
                 SELECT place, system.main.list(distance ORDER BY other ASC NULLS LAST) AS distances,
                        system.main.max(largest) AS largest
                 FROM (
                     SELECT place,
                            other,
                            CASE
                                WHEN system.main.min(distance) = system.main.max(distance) THEN system.main.min(distance)
                                WHEN place = other
                                THEN system.main.error(''kanon: the table of distances puts a value at a distance from itself'')
                                ELSE system.main.error(''kanon: the table of distances has two distances for one pair of values'')
                            END AS distance,
                            system.main.max(largest) AS largest
                     FROM (
                         SELECT here.place AS place, there.place AS other, distance, largest
                         FROM (
                             SELECT system.main.unnest([system.main.struct_pack(a := a, b := b),
                                                        system.main.struct_pack(a := b, b := a)]) AS pair,
                                    distance,
                                    system.main.max(distance) OVER () AS largest
                             FROM (
                                 SELECT a,
                                        b,
                                        CASE
                                            WHEN digits IS NULL
                                            THEN system.main.error(''kanon: the table of distances has one that is no number'')
                                            WHEN system.main.starts_with(digits, ''-'')
                                            THEN system.main.error(''kanon: the table of distances has one below 0'')
                                            WHEN system.main.max(digits::HUGEINT) FILTER (a IS DISTINCT FROM b)
                                                OVER () <> 1e18::HUGEINT
                                            THEN system.main.error(''kanon: the largest distance in the table is not 1 (divide by it)'')
                                            ELSE digits::HUGEINT // (''1'' || system.main.repeat(''0'', system.main.min(zeros)
                                                OVER ()))::HUGEINT
                                        END AS distance
                                 FROM (
                                     SELECT *, system.main.least(18, system.main.length(digits)
                                         - system.main.length(system.main.rtrim(digits, ''0''))) AS zeros
                                     FROM (
                                         SELECT system.main.encode(source.a::VARCHAR) AS a,
                                                system.main.encode(source.b::VARCHAR) AS b,
                                                system.main.replace(
                                                    TRY_CAST(source.distance::VARCHAR AS DECIMAL(30, 18))::VARCHAR,
                                                    ''.'',
                                                    '''') AS digits
                                         FROM {3} AS source
                                     ) AS texts
                                 ) AS texts
                             ) AS numbers
                         ) AS numbers
                         JOIN "t_closeness values" AS here ON here.value IS NOT DISTINCT FROM pair.a
                         JOIN "t_closeness values" AS there ON there.value IS NOT DISTINCT FROM pair.b
                         UNION ALL
                         SELECT place, place, 0, 0 FROM "t_closeness values"
                     ) AS found
                     GROUP BY place, other
                 ) AS found
                 GROUP BY place
             ) AS found
             JOIN "t_closeness values" USING (place)
         ) AS found
     ),' ||
        -- Optimal transport for every histogram at once. A source has more of a value than the whole table, a sink less; what
        -- both have in common stays, since d is a metric. A plan ships along ways of the least work from the sources through
        -- sinks that give back what they had from others (Bellman and Ford; labels: work * base + the last step), and all that
        -- fits in one tree of such ways; then every flow is optimal for what it ships. Plans end early where even their mean
        -- completion is below the least completion of another one. list_transform([x], lambda y: ...)[1] lets y be x.
        '
     "t_closeness plans" AS (
         SELECT id, alike, size, all_classes, all_rows, largest, base,
                system.main.list_transform(sources, lambda i: excess[i]) AS supply,
                system.main.list_transform(sinks, lambda j: -excess[j]) AS demand,
                system.main.list_transform(sources,
                                           lambda i, s: system.main.list_transform(sinks, lambda j: matrix[i][j] * base + s))
                                               AS fares,
                system.main.list_transform(sources, lambda i: system.main.list_transform(sinks, lambda j: 0::HUGEINT)) AS flows,
                0::HUGEINT AS work,
                0::DOUBLE AS best
         FROM (
             SELECT *,
                    system.main.list_filter(system.main.range(1, system.main.len(excess) + 1), lambda i: excess[i] > 0)
                        AS sources,
                    system.main.list_filter(system.main.range(1, system.main.len(excess) + 1), lambda j: excess[j] < 0)
                        AS sinks,
                    system.main.len(excess)::HUGEINT + 1 AS base
             FROM (
                 SELECT *,
                        system.main.list_transform(masses, lambda mass, i: CASE
                            WHEN largest::DOUBLE * system.main.len(masses) * all_rows * size > 1e37
                            THEN system.main.error(''kanon: the distances have too many digits for exact sums (round them)'')
                            ELSE all_rows * coalesce(pairs[system.main.list_position(places, i)].held, 0) - size * mass
                        END) AS excess
                 FROM (
                     SELECT *, system.main.list_transform(pairs, lambda pair: pair.place) AS places
                     FROM (
                         SELECT id, alike, size, all_classes, all_rows,
                                system.main.list(system.main.struct_pack(place := place, held := held)) AS pairs
                         FROM "t_closeness pairs"
                         GROUP BY id, alike, size, all_classes, all_rows
                     ) AS histograms
                 ) AS histograms
                 CROSS JOIN "t_closeness space"
             ) AS histograms
         ) AS histograms
         UNION ALL
         SELECT id, alike, size, all_classes, all_rows, largest, base, supply, demand, fares, flows, work,
                system.main.greatest(best, system.main.max(at_least) OVER ())
         FROM (
             SELECT *,
                    (work::DOUBLE + system.main.list_aggregate(system.main.list_transform(demand, lambda d, j: d::DOUBLE
                        * reach[j]), ''sum'')) / size AS at_least,
                    (work::DOUBLE + system.main.list_aggregate(system.main.list_transform(supply, lambda s, i: s::DOUBLE
                        * system.main.list_aggregate(system.main.list_transform(demand, lambda d, j: d::DOUBLE
                            * (fares[i][j] // base)), ''sum'')), ''sum'')
                        / system.main.greatest(system.main.list_aggregate(supply, ''sum''), 1)) / size AS at_most
             FROM (
                 SELECT id, alike, size, all_classes, all_rows, largest, base, fares, best, reach,
                        system.main.list_transform(supply, lambda s, i: CASE via[i] WHEN 0 THEN left_over.room[i] ELSE s END)
                            AS supply,
                        left_over.demand AS demand,
                        system.main.list_transform(flows, lambda line, i: system.main.list_transform(line, lambda flow, j: flow
                            + CASE origin[j] WHEN i THEN through[j] ELSE 0 END
                            - CASE via[i] WHEN j THEN room[i] - left_over.room[i] ELSE 0 END)) AS flows,
                        work + system.main.list_aggregate(system.main.list_transform(demand,
                            lambda d, j: (d - left_over.demand[j])
                            * reach[j]), ''sum'') AS work
                 FROM (
                     SELECT *,
                            system.main.list_transform(demand, lambda d, j: d - left_over.demand[j]
                                                       + system.main.list_aggregate(system.main.list_transform(
                                via, lambda v, i: CASE v WHEN j THEN room[i] - left_over.room[i] ELSE 0 END), ''sum'')) AS through
                     FROM (
                         SELECT *,
                                system.main.list_reduce(
                                    system.main.list_concat(system.main.list_value(system.main.struct_pack(room := room,
                                        demand := demand, sink := 0::BIGINT)), system.main.list_transform(
                                            system.main.list_sort(system.main.list_filter(
                                                system.main.list_transform(
                                                    reach, lambda r, j: CASE WHEN demand[j] > 0 THEN r * base + j END),
                                                lambda label: label IS NOT NULL), ''ASC'', ''NULLS LAST''),
                                            lambda label:
                                                system.main.struct_pack(room := room, demand := demand,
                                                    sink := (label % base)::BIGINT))),
                                    lambda now, next: system.main.list_transform(
                                        [system.main.list_reduce(
                                            system.main.list_transform(system.main.range(system.main.len(via) + 1),
                                                lambda i: [origin[next.sink]]),
                                            lambda way, e: CASE via[way[-1]]
                                                WHEN 0 THEN way ELSE system.main.list_concat(way,
                                                    system.main.list_value(origin[via[way[-1]]])) END)],
                                        lambda way: system.main.list_transform(
                                            [system.main.least(
                                                now.demand[next.sink],
                                                system.main.list_aggregate(system.main.list_transform(way,
                                                    lambda i: now.room[i]), ''min''))],
                                            lambda amount: system.main.struct_pack(
                                                room := system.main.list_transform(now.room, lambda r, i:
                                                    CASE WHEN system.main.list_contains(way, i) THEN r - amount ELSE r END),
                                                demand := system.main.list_transform(now.demand, lambda d, j:
                                                    CASE next.sink WHEN j THEN d - amount ELSE d END),
                                                sink := 0::BIGINT))[1])[1]) AS left_over
                         FROM (
                             SELECT *,
                                    system.main.list_transform(via, lambda v, i: CASE v WHEN 0 THEN supply[i]
                                        ELSE flows[i][v] END) AS room
                             FROM (
                                 SELECT *,
                                        system.main.list_transform(labels.sources, lambda label: (label % base)::BIGINT) AS via,
                                        system.main.list_transform(labels.sinks, lambda label: (label % base)::BIGINT)
                                            AS origin,
                                        system.main.list_transform(labels.sinks, lambda label: label // base) AS reach
                                 FROM (
                                     SELECT *,
                                            system.main.list_reduce(
                                                system.main.list_transform(system.main.range(system.main.len(supply) + 1),
                                                    lambda i: system.main.struct_pack(
                                                    sources := system.main.list_transform(
                                                        supply, lambda s: CASE WHEN s > 0 THEN 0::HUGEINT END),
                                                    sinks := system.main.list_transform(demand, lambda d: NULL::HUGEINT),
                                                    fresh := system.main.list_filter(system.main.range(1,
                                                        system.main.len(supply) + 1), lambda i: supply[i] > 0))),
                                                lambda now, next: CASE WHEN system.main.len(now.fresh) = 0 THEN now
                                                    ELSE system.main.list_transform(
                                                    [system.main.list_transform(now.sinks,
                                                        lambda old, j: system.main.list_transform(
                                                        [system.main.list_aggregate(system.main.list_transform(now.fresh,
                                                            lambda i:
                                                            now.sources[i] // base * base + fares[i][j]), ''min'')],
                                                        lambda new:
                                                            CASE WHEN new // base >= old // base THEN old ELSE new END)[1])],
                                                    lambda sinks: system.main.list_transform(
                                                        [system.main.list_transform(now.sources,
                                                            lambda old, i: system.main.list_transform(
                                                            [system.main.list_aggregate(system.main.list_transform(givers[i],
                                                                lambda j:
                                                                (sinks[j] // base - fares[i][j] // base) * base + j), ''min'')],
                                                            lambda new: CASE
                                                                WHEN new IS NULL OR new // base >= old // base THEN old
                                                                ELSE new END)[1])],
                                                        lambda sources: system.main.struct_pack(
                                                            sources := sources,
                                                            sinks := sinks,
                                                            fresh := system.main.list_filter(system.main.range(1,
                                                                system.main.len(sources) + 1), lambda i:
                                                                sources[i] IS DISTINCT FROM now.sources[i])))[1])[1]
                                                END) AS labels
                                     FROM (
                                         SELECT *,
                                                system.main.list_transform(flows, lambda line: system.main.list_filter(
                                                    system.main.range(1, system.main.len(line) + 1), lambda j: line[j] > 0))
                                                        AS givers
                                         FROM "t_closeness plans"
                                         WHERE system.main.list_aggregate(supply, ''max'') > 0
                                     ) AS plans
                                 ) AS plans
                             ) AS plans
                         ) AS plans
                     ) AS plans
                 ) AS plans
             ) AS plans
         ) AS plans
         QUALIFY at_most * (1 + 1e-9) >= system.main.greatest(best, system.main.max(at_least) OVER ())
     ),
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, largest AS scale, work
         FROM "t_closeness plans"
         WHERE coalesce(system.main.list_aggregate(supply, ''max''), 0) = 0
     )'
    END || '
     SELECT numerator::DOUBLE / denominator AS t,
            numerator AS t_numerator,
            denominator AS t_denominator,
            worst_classes,
            worst_rows,
            classes,
            "rows"
     FROM (
         SELECT worst.work // system.main.gcd(worst.work, worst.whole) AS numerator,
                worst.whole // system.main.gcd(worst.work, worst.whole) AS denominator,
                worst.classes AS worst_classes,
                worst.members AS worst_rows,
                classes,
                "rows"
         FROM (
             SELECT system.main.arg_max(
                        system.main.struct_pack(work := work, whole := whole, classes := classes, members := members), distance)
                            AS worst,
                    coalesce(system.main.max(all_classes), 0)::BIGINT AS classes,
                    coalesce(system.main.max(all_rows), 0)::BIGINT AS "rows"
             FROM (
                 SELECT system.main.struct_pack(whole := work // size, places := work % size * (1::HUGEINT << 84) // size)
                     AS distance,
                        system.main.max(work) AS work,
                        system.main.max(size) * system.main.any_value(all_rows)
                            * system.main.greatest(system.main.any_value(scale), 1) AS whole,
                        system.main.sum(alike)::BIGINT AS classes,
                        system.main.sum(alike * size)::BIGINT AS members,
                        system.main.any_value(all_classes) AS all_classes,
                        system.main.any_value(all_rows) AS all_rows
                 FROM "t_closeness work"
                 GROUP BY distance
             ) AS distances
         ) AS figures
     ) AS figures',
    CASE
        WHEN qi IS NULL THEN 'COLUMNS(source.* EXCLUDE ("' || system.main.replace(coalesce(sa::VARCHAR, ''), '"',
            '""') || '"))'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (NULL takes every column but sa)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        WHEN system.main.list_contains(
            system.main.list_transform(qi::VARCHAR[], lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
            system.main.translate(sa::VARCHAR, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
        THEN system.main.error('kanon: sa is one of the columns of qi (a sensitive attribute is no quasi-identifier)')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE
        WHEN coalesce(sa::VARCHAR, '') = '' THEN system.main.error('kanon: sa is missing (name the sensitive attribute)')
        WHEN metric::VARCHAR IN ('equal', 'ordered')
            THEN 'system.main.create_sort_key(system.main.row("kanon#own"), ''ASC NULLS LAST'')'
        ELSE 'system.main.encode("kanon#own"::VARCHAR)'
    END,
    CASE
        WHEN coalesce(metric::VARCHAR, '') <> 'hierarchical' AND hierarchy IS NOT NULL
        THEN system.main.error('kanon: a hierarchy belongs to the metric hierarchical only (leave it out)')
        WHEN metric::VARCHAR IN ('equal', 'ordered', 'numeric') THEN ''
        WHEN system.main.list_transform(system.main.list_value(0), lambda zero, place: place) <> system.main.list_value(1)
        THEN system.main.error('kanon: dialect_compatibility_mode counts the places of a lambda from 0 (set it to NONE)')
        ELSE
            CASE system.main.list_aggregate(
                    system.main.regexp_extract_all(
                        CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR ELSE metric::VARCHAR END,
                        '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3], 'string_agg', '.')
                WHEN system.main.nullif(CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR
                                        ELSE metric::VARCHAR END, '')
                THEN system.main.list_aggregate(
                    system.main.list_transform(system.main.regexp_extract_all(
                         CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR ELSE metric::VARCHAR END,
                         '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'),
                         lambda part: CASE WHEN system.main.starts_with(part, '"') THEN part ELSE '"' || part || '"' END),
                         'string_agg', '.')
                ELSE system.main.error(system.main.format('kanon: {} is not the name of a table: {}',
                    CASE metric::VARCHAR WHEN 'hierarchical' THEN 'hierarchy' ELSE 'metric' END,
                    coalesce(
                        CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR ELSE metric::VARCHAR END, 'NULL')))
            END
    END,
    'source."' || system.main.replace(coalesce(sa::VARCHAR, ''), '"', '""') || '"',
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- unique_columns(tbl, n, qi := NULL): the sets of at most n columns, and the share of the rows that each singles out.
--
-- A row is singled out by a set of columns if no other row has its values there. NULL is a value like any other.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   n     INTEGER     the greatest number of columns in a set
--   qi    VARCHAR[]   the columns to combine; by default every column. Case does not matter, as everywhere in SQL.
--
-- Result columns (one row per set; no order is promised):
--   columns       VARCHAR[]  the set
--   singled_out   BIGINT     rows with values there that no other row has; estimated from one part of the combinations where rows
--                            times sets are more than 8 million
--   share         DOUBLE     of the rows; NULL for an empty table
--
-- Cost: a hash of every row for each set; m columns have m (m - 1) / 2 sets of two.
CREATE OR REPLACE MACRO unique_columns(tbl, n, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#hashed" AS MATERIALIZED (
         -- DuckDB''s own hash is one for an empty list, a list of NULL, and NULL, for 0 and -1 as HUGEINT, and under some collations
         SELECT system.main.list_value(*COLUMNS(*)) AS v
         FROM (
             SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''VARCHAR|TUPLE\(|VARIANT|HUGEINT|DECIMAL\((19|[23][0-9])|\[|MAP\(|UNION\(|STRUCT\('')
                 THEN system.main.hash(system.main.create_sort_key(system.main.row(COLUMNS(*)), ''ASC NULLS LAST'')) ELSE system.main.hash(COLUMNS(*)) END
             FROM (
                 -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                 SELECT * FROM (SELECT {1} FROM {0} AS source) AS "kanon#s"
                 WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
                 UNION ALL
                 SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                     THEN system.main.first(COLUMNS(*)) OVER (
                         PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                     ELSE COLUMNS(*) END
                 FROM (SELECT {1} FROM {0} AS source) AS "kanon#s"
                 WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''VARIANT|INTERVAL\[|.(STRUCT|TUPLE|MAP|UNION)\(.*INTERVAL'')
             ) AS source
         )
     ), "kanon#names" AS MATERIALIZED (
         SELECT system.main.list_value(*COLUMNS(*)) AS names FROM (
                 SELECT system.main.alias(COLUMNS(* EXCLUDE ("kanon#one")))
                 FROM (SELECT 1 AS "kanon#one") LEFT JOIN (SELECT {1} FROM {0} AS source LIMIT 1) ON true
             )
     ), "kanon#sets" AS (
         WITH RECURSIVE "kanon#chosen" AS (
             SELECT [i] AS chosen FROM (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
             UNION ALL
             SELECT system.main.list_concat(chosen, [i])
             FROM "kanon#chosen", (SELECT system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#names")
             WHERE i > chosen[-1] AND system.main.len(chosen) < {2}
         )
         FROM "kanon#chosen"
     ), "kanon#numbered" AS MATERIALIZED (
         SELECT chosen, "rows", (1 + "rows" * system.main.count(*) OVER () // 8000000)::UBIGINT AS parts
         FROM "kanon#sets", (SELECT system.main.count(*) AS "rows" FROM "kanon#hashed")
     )
     SELECT system.main.list_select(names, chosen) AS "columns", singled_out,
            singled_out / system.main.nullif("rows", 0) AS share
     FROM (
         SELECT chosen, "rows", system.main.least(parts * system.main.count(CASE WHEN n = 1 THEN 1 END), "rows")::BIGINT AS singled_out
         FROM (
             SELECT chosen, "rows", parts, system.main.count(h) AS n
             FROM "kanon#numbered" LEFT JOIN (
                 SELECT chosen AS own, h FROM (
                     SELECT chosen, parts, system.main.hash(system.main.list_select(v, chosen)) AS h FROM "kanon#hashed", "kanon#numbered"
                 ) WHERE h % parts = 0
             ) ON own = chosen
             GROUP BY chosen, "rows", parts, h
         )
         GROUP BY chosen, "rows", parts
     ), "kanon#names"',
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[1:3],
            'string_agg', '.')
        WHEN system.main.nullif(tbl::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(tbl::VARCHAR,
                '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                    THEN part ELSE '"' || part || '"' END),
             'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE
        WHEN qi IS NULL THEN 'source.*'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (leave it out to take every column)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE WHEN n >= 1 THEN system.main.least(n::BIGINT, 60)::VARCHAR
        ELSE system.main.error('kanon: n is the greatest number of columns of a set, at least 1')
    END,
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
-- utility(released, original, qi := NULL, hierarchies := NULL, suppress := '*'): what a release has cost, and what it still tells.
--
-- A cell is suppressed if it is NULL or the text '*', or what suppress says. Cells that are so in the original are not counted: in each column
-- suppressed = (cells suppressed in the release) - (those in the original). A cell is generalized if it is shown but its
-- value does not occur in that column of the original (98*** for 98101). Values are compared as text, byte by byte.
-- A NULL of the original that a release hides is no loss here: nobody can tell it from the NULL that it was. The certificate
-- counts it among the cells hidden, because hiding it was decided and paid for: its suppressed_cells may be greater.
-- The two tables need no row key and no common order.
--
-- The loss of a generalized cell is (values that its label stands for - 1) / (values of the column - 1), the values being the
-- distinct ones of the original, NULL (or '*') among them. It is 1 for a suppressed cell, 0 for one left as it was, and 0 in
-- a column of one value. What a label stands for is read from its text:
--   a label of a hierarchy      the values below it, in the hierarchy of its column; this one comes first
--   {flu, gout}, {flu, NULL}    these values; all words must be values
--   [35, 40)  [17, 23]          the values from the low end to the high one, as numbers where all values of the column are
--   [adams, baker]              numbers (inf and nan, too), else byte by byte, as dates are in order too. A label with several
--                               ', ' is not read, nor are numbers in [35, 40) if the column has other values than numbers.
--   2026-11-21  2026-11  2026   the values of the day, month, quarter, year or decade, if all are dates or timestamps
--   2026-Q4  2020s
--   98***                       the values of five characters that begin so, or if there are none, all values that begin so
--   any but {} with ' or NULL'  what stands in front of it, a single value too, and NULL
--   "[a, b]"  {"a, b", c}       a word in double quotes is a text, with those within it doubled
-- A label that is none of these, or stands for no value of the original ('bin 07'), is unread: its cells count 1, which is an
-- upper bound. Nothing tells how many NULLs of the original are behind labels that take in NULL or are unread: as many as
-- possible are assumed, so that suppressed_cells is an upper bound there, and at most the NULLs and '*' of the release.
--
-- usefulness is the measure of Loukides and Shao: the average over the released classes of the tuple diversity, which is
-- the sum over the columns of the diversity of the original values of the class: the number of distinct values over that
-- of the whole column (range over range for numbers and dates). 0 is best, the number of columns is worst. Without
-- a row key, the original values of a column of a class that is NULL, '*' or generalized are not known: it counts 1 (the
-- whole column), so that the figure is an upper bound of usefulness. A shown column counts exactly: 1 / (number of distinct
-- values of the column in the original, NULL being one), 0 for numbers and dates.
--
-- Arguments:
--   released      VARCHAR     name of the released table, view, CTE or quoted file, optionally qualified. It is read as an
--                             identifier, never as SQL.
--   original      VARCHAR     the same for the table it was made from
--   qi            VARCHAR[]   the quasi-identifiers; by default every column, paired by position
--   hierarchies   MAP         of VARCHAR to VARCHAR: for columns of the original the names of the tables of their hierarchies.
--                             Their columns are level0, level1, ...: a value and what is above it; or value, parent: a node
--                             and the node above it. Labels and values are found in them by their text.
--   suppress      VARCHAR     the text of suppressed cells besides NULL, in the place of '*'; NULL: there is none, and '*' is a value
--
-- Result columns (one row; every share and average, and loss, is NULL for an empty table):
--   rows                 BIGINT    number of rows
--   cells                BIGINT    rows x quasi-identifiers
--   suppressed_cells     BIGINT    see above
--   suppressed_share     DOUBLE    suppressed_cells / cells
--   generalized_cells    BIGINT    see above; 0 for a release that only suppresses
--   unread_cells         BIGINT    generalized cells whose label is unread
--   ncp                  DOUBLE    normalized certainty penalty: mean loss of a cell
--   loss                 MAP       of VARCHAR to DOUBLE: for each column of the original the mean loss of its cells
--   classes              BIGINT    equivalence classes of the release
--   average_class_size   DOUBLE    C_avg = rows / classes (divide by k to have it normalized)
--   discernibility       BIGINT    C_DM = sum of class_size^2
--   usefulness           DOUBLE    see above
--
-- Errors: the tables differ in the number of rows or columns; a column shows more cells in the release than in the original;
-- hierarchies names no column, or a table that has other columns.
--
-- Cost: each table is read once and grouped into its distinct rows; then one GROUP BY over (distinct rows x columns) cells.
-- Labels are read once each: one sort of the labels and the distinct values of each column that has some.
CREATE OR REPLACE MACRO utility(released, original, qi := NULL, hierarchies := NULL, suppress := '*') AS TABLE
FROM system.main.query(system.main.format(
    'WITH RECURSIVE "utility columns" AS MATERIALIZED (
         SELECT system.main.row_number() OVER () - 1 AS position,
                column_name AS name,
                system.main.regexp_matches(
                    column_type,
                    ''^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL[(0-9,)]+|DATE|TIMESTAMP[A-Z_ ]*)$'') AS metric
         FROM (DESCRIBE SELECT {0} FROM {2} AS source) AS described
     ),
     -- What a column shows, in either table; a suppressed cell is NULL.
     "utility symbols" AS MATERIALIZED (
         SELECT position,
                system.main.nullif(cell, system.main.encode({4})) AS symbol,
                system.main.sum(released_rows) AS released_rows,
                system.main.sum(released_classes) AS released_classes,
                system.main.sum(squares) AS squares,
                system.main.sum(original_rows) AS original_rows
         FROM (
             SELECT system.main.unnest(cells), system.main.unnest(system.main.range(system.main.len(cells))), size, 1,
                    size::HUGEINT * size, 0
             FROM (
                 SELECT cells, system.main.count(*)
                 FROM (
                     SELECT system.main.list_value(*COLUMNS(*))
                     FROM (
                         SELECT system.main.encode(CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                                 -- a maximum has 0.0 for -0.0, wherever it is inside
                                 THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                                 ELSE COLUMNS(*) END AS VARCHAR))
                         FROM (
                             -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                             SELECT * FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                             WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                             UNION ALL
                             SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                                 THEN system.main.first(COLUMNS(*)) OVER (
                                     PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                                 ELSE COLUMNS(*) END
                             FROM (SELECT {0} FROM {1} AS source) AS "kanon#s"
                             WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                         ) AS source
                     ) AS texts
                 ) AS released(cells)
                 GROUP BY cells
             ) AS classes(cells, size)
             UNION ALL
             SELECT system.main.unnest(cells), system.main.unnest(system.main.range(system.main.len(cells))), 0, 0, 0, size
             FROM (
                 SELECT cells, system.main.count(*)
                 FROM (
                     SELECT system.main.list_value(*COLUMNS(*))
                     FROM (
                         SELECT system.main.encode(CAST(CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''FLOAT|DOUBLE'')
                                 -- a maximum has 0.0 for -0.0, wherever it is inside
                                 THEN system.main.list_extract(system.main.list_aggregate(system.main.list_value(system.main.list_value(COLUMNS(*))), ''max''), 1)
                                 ELSE COLUMNS(*) END AS VARCHAR))
                         FROM (
                             -- equal values that look different (a month and 30 days) take one look; for other types, the second part is empty when it is planned
                             SELECT * FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                             WHERE NOT system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                             UNION ALL
                             SELECT CASE WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(*)), ''INTERVAL|VARIANT'')
                                 THEN system.main.first(COLUMNS(*)) OVER (
                                     PARTITION BY system.main.map(system.main.list_value(true), system.main.list_value(COLUMNS(*))) ORDER BY CAST(COLUMNS(*) AS VARCHAR) COLLATE "binary" DESC NULLS LAST)
                                 ELSE COLUMNS(*) END
                             FROM (SELECT {0} FROM {2} AS source) AS "kanon#s"
                             WHERE system.main.regexp_matches(system.main.typeof("kanon#s"), ''INTERVAL|VARIANT'')
                         ) AS source
                     ) AS texts
                 ) AS original(cells)
                 GROUP BY cells
             ) AS classes(cells, size)
         ) AS cells(cell, position, released_rows, released_classes, squares, original_rows)
         GROUP BY ALL
     ),
     "utility labels" AS MATERIALIZED (
         SELECT *,
                CASE
                    WHEN system.main.regexp_full_match(base, ''"([^"]|"")*"'')
                    THEN system.main.replace(system.main.regexp_extract(base, ''^"(.*)"$'', 1, ''s''), ''""'', ''"'')
                    ELSE base
                END AS word
         FROM (
             SELECT position, symbol, system.main.decode(symbol) AS label,
                    system.main.regexp_replace(system.main.decode(symbol), '' or NULL$'', '''') AS base
             FROM "utility symbols"
             WHERE symbol IS NOT NULL AND released_rows > 0 AND original_rows = 0
         ) AS labels
     ),
     -- The values of the columns that have labels.
     "utility values" AS MATERIALIZED (
         SELECT position, symbol, system.main.decode(symbol) AS text
         FROM "utility symbols"
         WHERE original_rows > 0 AND position IN (SELECT position FROM "utility labels")
     ),
     "utility kinds" AS MATERIALIZED (
         SELECT position,
                system.main.bool_and(text IS NULL OR system.main.regexp_full_match(
                    text, '' *[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{{1,4}})?|inf|nan) *'')) AS numbers,
                system.main.bool_and(text IS NULL
                                     OR system.main.regexp_matches(text, ''^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}($| )'')) AS dates,
                system.main.bool_or(text IS NULL) AS nulls
         FROM "utility values"
         GROUP BY position
     ),
     "utility trees" AS MATERIALIZED (
         SELECT CASE
                    WHEN position IS NULL
                    THEN system.main.error(''kanon: hierarchies names what is none of the columns: '' || trees.name)
                    ELSE position
                END AS position,
                system.main.list_transform(cells, lambda cell: cell.label) AS labels,
                CASE
                    WHEN system.main.len(cells) < 2
                         OR system.main.list_transform(cells, lambda cell: cell.step) IS DISTINCT
                             FROM system.main.range(system.main.len(cells))
                         OR (cells[1].form = ''level'') <> (cells[-1].form = ''level'')
                    THEN system.main.error(''kanon: the columns of a hierarchy are not value, parent or level0, level1, ...'')
                    ELSE cells[1].form = ''level''
                END AS levels
         FROM ({3}) AS trees
         LEFT JOIN "utility columns" AS named ON system.main.translate(named.name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')
                                                     = system.main.translate(trees.name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')
     ),
     -- All that is above a value; the labels of a line of levels are above its first one only.
     "utility ancestors" AS (
         SELECT known.position AS position, symbol, system.main.unnest(labels[2:]) AS label, levels
         FROM "utility values" AS known
         JOIN "utility trees" AS trees ON trees.position = known.position AND trees.labels[1] IS NOT DISTINCT FROM symbol
         UNION
         SELECT ancestors.position, ancestors.symbol, trees.labels[2], false
         FROM "utility ancestors" AS ancestors
         JOIN "utility trees" AS trees ON trees.position = ancestors.position AND trees.labels[1] = ancestors.label
         WHERE NOT ancestors.levels
     ),
     -- A set in braces: the values that are its words, NULL for one without quotes.
     "utility sets" AS (
         SELECT words.position AS position, words.symbol AS symbol, system.main.count(*) AS covered,
                system.main.bool_or(text IS NULL) AS nulls
         FROM (
             SELECT position, symbol, size,
                    CASE
                        WHEN word <> ''NULL''
                        THEN CASE
                                 WHEN system.main.regexp_full_match(word, ''"([^"]|"")*"'')
                                 THEN system.main.replace(system.main.regexp_extract(word, ''^"(.*)"$'', 1, ''s''), ''""'',
                                                          ''"'')
                                 ELSE word
                             END
                    END AS word
             FROM (
                 SELECT position, symbol, system.main.len(words) AS size, system.main.unnest(words) AS word
                 FROM (
                     SELECT position, symbol, inside, system.main.list_distinct(words) AS words,
                            system.main.list_aggregate(words, ''string_agg'', '', '') AS read
                     FROM (
                         SELECT position, symbol, inside,
                                system.main.regexp_extract_all(
                                    inside || '', '', ''("(?:[^"]|"")*"|(?:[^"].*?)??), '', 1, ''s'') AS words
                         FROM (
                             SELECT position, symbol, label[2:-2] AS inside
                             FROM "utility labels"
                             WHERE system.main.starts_with(label, ''{{'') AND system.main.suffix(label, ''}}'')
                         ) AS lists
                     ) AS lists
                 ) AS lists
                 WHERE read = inside
             ) AS lists
         ) AS words
         JOIN "utility values" AS known ON known.position = words.position AND known.text IS NOT DISTINCT FROM word
         GROUP BY words.position, words.symbol, size
         HAVING system.main.count(*) = size
     ),
     -- Any other label is a stretch of the values, in the order of numbers or of bytes: from its low end to its high one, and
     -- for a prefix to FF, which is in no text. A prefix with stars is first read among the values of its length, then among all.
     -- A text in quotes is itself, and so is a value of the column in front of '' or NULL''.
     "utility stretches" AS MATERIALIZED (
         SELECT *, form = ''interval'' AND numbers AS by_number, CASE WHEN form = ''prefix'' AND size IS NULL THEN 3 ELSE 2 END AS rule
         FROM (
             SELECT *,
                    system.main.unnest(CASE WHEN form = ''prefix'' THEN [system.main.length(base), NULL] ELSE [NULL] END) AS size,
                    CASE
                        WHEN form = ''interval''
                        THEN [CASE
                                  WHEN system.main.regexp_full_match(pair.low, ''"([^"]|"")*"'')
                                  THEN system.main.replace(system.main.regexp_extract(pair.low, ''^"(.*)"$'', 1, ''s''), ''""'',
                                                           ''"'')
                                  ELSE pair.low
                              END,
                              CASE
                                  WHEN system.main.regexp_full_match(pair.high, ''"([^"]|"")*"'')
                                  THEN system.main.replace(system.main.regexp_extract(pair.high, ''^"(.*)"$'', 1, ''s''),
                                                           ''""'', ''"'')
                                  ELSE pair.high
                              END]
                        WHEN form = ''word'' THEN [word, word]
                        WHEN form = ''period'' AND base[6] = ''Q''
                        THEN [base[:5] || [''01'', ''04'', ''07'', ''10''][base[7]::BIGINT],
                              base[:5] || [''03'', ''06'', ''09'', ''12''][base[7]::BIGINT]]
                        WHEN form = ''period''
                            THEN [system.main.regexp_replace(base, ''0s$'', ''''),
                                  system.main.regexp_replace(base, ''0s$'', '''')]
                        ELSE [system.main.rtrim(base, ''*''), system.main.rtrim(base, ''*'')]
                    END AS ends
             FROM (
                 SELECT labels.position AS position, labels.symbol AS symbol, base, labels.word AS word, numbers,
                        nulls AND label <> base AS nulls,
                        system.main.regexp_extract(
                            base, ''^\[("(?:[^"]|"")*"|(?:[^"].*?)??), (.*)[\])]$'', [''low'', ''high''], ''s'') AS pair,
                        CASE
                            WHEN system.main.regexp_full_match(
                                base,
                                system.main.concat(''\[("([^"]|"")*"|([^",][^,]*)?(,+[^ ,][^,]*)*,*), '',
                                       ''("([^"]|"")*"|([^",][^,]*)?(,+[^ ,][^,]*)*,*)[\])]''))
                            THEN ''interval''
                            WHEN labels.word <> base OR own.text IS NOT NULL THEN ''word''
                            WHEN dates
                                 AND system.main.regexp_full_match(base,
                                     ''[0-9]{{4}}(-[0-9]{{2}}){{0,2}}|[0-9]{{3}}0s|[0-9]{{4}}-Q[1-4]'')
                            THEN ''period''
                            WHEN system.main.suffix(base, ''*'') THEN ''prefix''
                            ELSE ''value''
                        END AS form
                 FROM "utility labels" AS labels
                 JOIN "utility kinds" AS kinds ON kinds.position = labels.position
                 LEFT JOIN "utility values" AS own ON own.position = labels.position AND own.text = labels.word
             ) AS forms
         ) AS forms
         WHERE form <> ''interval''
               OR CASE system.main.len(system.main.list_filter(ends, lambda word: system.main.regexp_full_match(
                           word, '' *[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{{1,4}})?|inf|nan) *'')))
                      WHEN 2 THEN numbers OR system.main.suffix(base, '']'')
                      ELSE NOT numbers
                  END
     ),
     "utility covers" AS (
         SELECT position, symbol, system.main.arg_min(covered, rule) AS covered, system.main.arg_min(nulls, rule) AS nulls
         FROM (
             SELECT position, label AS symbol, system.main.count(*) AS covered, system.main.bool_or(symbol IS NULL) AS nulls, 0
                 AS rule
             FROM "utility ancestors"
             GROUP BY position, label
             UNION ALL
             SELECT position, symbol, covered, nulls, 1 FROM "utility sets"
             UNION ALL
             SELECT position, symbol, system.main.sum(sign * below) + CASE WHEN nulls THEN 1 ELSE 0 END, nulls, rule
             FROM (
                 SELECT position, symbol, nulls, rule, sign, system.main.sum(known) OVER (
                            PARTITION BY position, by_number, size
                            ORDER BY CASE WHEN by_number THEN number ELSE system.main.encode(text) || beyond END ASC NULLS LAST,
                                side ASC NULLS LAST)
                                AS below
                 FROM (
                     -- a number as bytes in its order: sign, place of the first digit, digits (complements, and a sign, where
                     -- it is negative); NaN is above infinity
                     SELECT *,
                            CASE
                                WHEN NOT by_number THEN NULL
                                WHEN system.main.regexp_full_match(text, '' *[+-]?nan *'') THEN ''5''::BLOB
                                WHEN system.main.regexp_full_match(text, '' *[+]?inf *'') THEN ''4''::BLOB
                                WHEN system.main.regexp_full_match(text, '' *-inf *'') THEN ''0''::BLOB
                                -- sign, place of the first digit, digits: of a negative number the complements, and a sign after the last
                                WHEN system.main.regexp_full_match(text,
                                    '' *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{{1,4}})? *'')
                                THEN system.main.list_transform(system.main.list_transform(
                                    [system.main.regexp_extract(
                                        text, ''^ *([+-]?)0*([0-9]*)\.?(0*)([0-9]*)(?:[eE]([+-]?[0-9]+))? *$'',
                                        [''sign'', ''whole'', ''zeros'', ''part'', ''power''])],
                                    lambda word: {{
                                        ''minus'': word.sign = ''-'',
                                        ''digits'': system.main.rtrim(
                                            CASE WHEN word.whole = '''' THEN word.part ELSE word.whole || word.zeros || word.part END, ''0''),
                                        ''size'': coalesce(TRY_CAST(word.power AS BIGINT), 0)
                                            + CASE WHEN word.whole = '''' THEN -system.main.length(word.zeros)
                                                ELSE system.main.length(word.whole) END}}),
                                    lambda read: system.main.encode(CASE
                                        WHEN read.digits = '''' THEN ''2''
                                        WHEN read.minus
                                        THEN ''1'' || (5000000000 - read.size)::VARCHAR
                                            || system.main.translate(read.digits, ''0123456789'', ''9876543210'') || '':''
                                        ELSE ''3'' || (5000000000 + read.size)::VARCHAR || read.digits END))[1]
                            END AS number
                     FROM (
                         SELECT position, symbol, nulls, rule, size, by_number, ends[1], ''''::BLOB, 0, -1, 0
                         FROM "utility stretches"
                         UNION ALL
                         SELECT position, symbol, nulls, rule, size, by_number, ends[2],
                                CASE WHEN form IN (''prefix'', ''period'') THEN ''\xFF''::BLOB ELSE ''''::BLOB END,
                                CASE WHEN form = ''interval'' AND system.main.suffix(base, '')'') THEN 0 ELSE 2 END, 1, 0
                         FROM "utility stretches"
                         UNION ALL
                         SELECT known.position, NULL, NULL, NULL, known.size, by_number, text, ''''::BLOB, 1, 0, 1
                         FROM (
                             SELECT position, text, system.main.unnest([NULL, system.main.length(text)]) AS size
                             FROM "utility values"
                             WHERE text IS NOT NULL
                         ) AS known
                         JOIN (SELECT DISTINCT position, by_number, size FROM "utility stretches") AS orders
                             ON orders.position = known.position AND orders.size IS NOT DISTINCT FROM known.size
                     ) AS points(position, symbol, nulls, rule, size, by_number, text, beyond, side, sign, known)
                 ) AS points
             ) AS points
             WHERE sign <> 0
             GROUP BY position, symbol, nulls, rule
             HAVING system.main.sum(sign * below) > 0
         ) AS rules
         GROUP BY position, symbol
     )
     SELECT coalesce(system.main.max(released_rows), 0)::BIGINT AS "rows",
            coalesce(system.main.sum(released_rows), 0)::BIGINT AS cells,
            coalesce(system.main.sum(suppressed), 0)::BIGINT AS suppressed_cells,
            system.main.sum(suppressed)::DOUBLE / system.main.sum(released_rows) AS suppressed_share,
            coalesce(system.main.sum(generalized), 0)::BIGINT AS generalized_cells,
            coalesce(system.main.sum(unread), 0)::BIGINT AS unread_cells,
            system.main.avg(loss ORDER BY position ASC NULLS LAST) AS ncp,
            system.main.map(system.main.list(name ORDER BY position ASC NULLS LAST),
                            system.main.list(loss ORDER BY position ASC NULLS LAST)) AS loss,
            coalesce(system.main.max(released_classes), 0)::BIGINT AS classes,
            system.main.max(released_rows)::DOUBLE / system.main.max(released_classes) AS average_class_size,
            coalesce(system.main.max(squares), 0)::BIGINT AS discernibility,
            system.main.sum(released_classes - shown + CASE WHEN metric THEN 0 ELSE shown::DOUBLE / domain END)
                / system.main.max(released_classes) AS usefulness
     FROM (
         SELECT *,
                CASE
                    WHEN domain = 1 THEN 0
                    ELSE (lost + (suppressed + unread) * (domain - 1))::DOUBLE / (released_rows * (domain - 1))
                END AS loss
         FROM (
             SELECT position,
                    system.main.any_value(name) AS name,
                    system.main.any_value(metric) AS metric,
                    system.main.sum(released_rows) AS released_rows,
                    system.main.sum(original_rows) AS original_rows,
                    system.main.sum(released_classes) AS released_classes,
                    system.main.sum(squares) AS squares,
                    system.main.count(*) FILTER (original_rows > 0) AS domain,
                    coalesce(system.main.sum(released_classes) FILTER (symbol IS NOT NULL AND original_rows > 0), 0) AS shown,
                    coalesce(system.main.sum(released_rows) FILTER (generalized), 0) AS generalized,
                    coalesce(system.main.sum(released_rows) FILTER (generalized AND covered IS NULL), 0) AS unread,
                    coalesce(system.main.sum(released_rows * (covered - 1)) FILTER (generalized), 0) AS lost,
                    -- The NULLs of the original may be behind labels that take in NULL: there as many as possible are.
                    coalesce(system.main.least(
                        system.main.sum(released_rows) FILTER (symbol IS NULL),
                        system.main.sum(released_rows - original_rows) FILTER (symbol IS NULL)
                            + coalesce(system.main.sum(released_rows) FILTER (generalized AND nulls), 0)), 0) AS suppressed
             FROM (
                 SELECT symbols.*, name, metric, covered, coalesce(nulls, true) AS nulls,
                        symbols.symbol IS NOT NULL AND original_rows = 0 AS generalized
                 FROM "utility symbols" AS symbols
                 LEFT JOIN "utility columns" AS named ON named.position = symbols.position
                 LEFT JOIN "utility covers" AS covers ON covers.position = symbols.position AND covers.symbol = symbols.symbol
             ) AS symbols
             GROUP BY position
         ) AS columns_of_both
     ) AS columns_of_both
     HAVING CASE
         WHEN system.main.max(released_rows) <> system.main.max(original_rows)
         THEN system.main.error(system.main.format(''kanon: the release has {{}} rows and the original {{}}'',
                           system.main.max(released_rows), system.main.max(original_rows)))
         WHEN system.main.count(*) FILTER (released_rows > 0) <> system.main.count(*) FILTER (original_rows > 0)
         THEN system.main.error(system.main.format(''kanon: the release has {{}} columns and the original {{}} (name the quasi-identifiers in qi)'',
                           system.main.count(*) FILTER (released_rows > 0), system.main.count(*) FILTER (original_rows > 0)))
         WHEN system.main.min(suppressed) < 0
         THEN system.main.error(''kanon: a column shows more cells in the release than in the original: is it a release of that table?'')
         ELSE true
     END',
    CASE
        WHEN qi IS NULL THEN 'source.*'
        WHEN system.main.len(qi::VARCHAR[]) = 0
            THEN system.main.error('kanon: qi is an empty list (leave it out to take every column)')
        WHEN system.main.list_aggregate(qi::VARCHAR[], 'count') < system.main.len(qi::VARCHAR[])
            THEN system.main.error('kanon: qi holds NULL instead of a column name')
        WHEN system.main.list_unique(system.main.list_transform(qi::VARCHAR[],
            lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))) < system.main.len(qi::VARCHAR[])
        THEN system.main.error('kanon: qi names a column twice')
        ELSE system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
            lambda name: 'source."' || system.main.replace(name, '"', '""') || '"'),
                                        'string_agg', ', ')
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(released::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(released::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(released::VARCHAR,
                                                        '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'),
                                                        lambda part: CASE WHEN system.main.starts_with(part, '"') THEN part
                                                            ELSE '"' || part || '"' END), 'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: released is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(released::VARCHAR, 'NULL')))
    END,
    CASE system.main.list_aggregate(
            system.main.regexp_extract_all(original::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            'string_agg', '.')
        WHEN system.main.nullif(original::VARCHAR, '')
        THEN system.main.list_aggregate(
            system.main.list_transform(system.main.regexp_extract_all(original::VARCHAR,
                                                        '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'),
                                                        lambda part: CASE WHEN system.main.starts_with(part, '"') THEN part
                                                            ELSE '"' || part || '"' END), 'string_agg', '.')
        ELSE system.main.error(system.main.format('kanon: original is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(original::VARCHAR, 'NULL')))
    END,
    CASE
        WHEN system.main.list_unique(system.main.list_transform(system.main.map_keys(hierarchies::MAP(VARCHAR,
            VARCHAR)), lambda name: system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')))
             < system.main.cardinality(hierarchies::MAP(VARCHAR, VARCHAR))
        THEN system.main.error('kanon: hierarchies names a column twice')
        WHEN system.main.cardinality(hierarchies::MAP(VARCHAR, VARCHAR)) > 0
        THEN system.main.list_aggregate(
            system.main.list_transform(
                system.main.map_entries(hierarchies::MAP(VARCHAR, VARCHAR)),
                lambda entry: 'SELECT ''' || system.main.replace(entry['key'], '''', '''''') || ''' AS name,
                system.main.list_sort(system.main.list_value(*COLUMNS(*)), ''ASC'', ''NULLS LAST'') AS cells
         FROM (
             SELECT system.main.struct_pack(
                 step := CASE
                     WHEN system.main.lower(system.main.alias(COLUMNS(*))) = ''value'' THEN 0
                     WHEN system.main.lower(system.main.alias(COLUMNS(*))) = ''parent'' THEN 1
                     WHEN system.main.starts_with(system.main.lower(system.main.alias(COLUMNS(*))), ''level'')
                     THEN TRY_CAST(system.main.substr(system.main.alias(COLUMNS(*)), 6) AS BIGINT)
                 END,
                 form := system.main.lower(system.main.alias(COLUMNS(*)))[:5],
                 label := system.main.encode(COLUMNS(*)::VARCHAR))
             FROM ' || CASE system.main.list_aggregate(
                    system.main.regexp_extract_all(entry['value'], '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
                    'string_agg', '.')
                WHEN system.main.nullif(entry['value'], '')
                THEN system.main.list_aggregate(
                    system.main.list_transform(system.main.regexp_extract_all(
                         entry['value'], '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'),
                         lambda part: CASE WHEN system.main.starts_with(part, '"') THEN part ELSE '"' || part || '"' END),
                         'string_agg', '.')
                ELSE system.main.error(system.main.format('kanon: hierarchies holds what is not the name of a table: {}',
                    coalesce(entry['value'], 'NULL')))
            END || ' AS source
         ) AS source'), 'string_agg', ' UNION ALL ')
        ELSE 'SELECT NULL::VARCHAR AS name, NULL::STRUCT(step BIGINT, form VARCHAR, label BLOB)[] AS cells WHERE false'
    END,
    coalesce('''' || system.main.replace(suppress::VARCHAR, '''', '''''') || '''', 'NULL::VARCHAR'),
    -- Not used in the text: an error where a macro of the database takes the place of a function behind its syntax.
    system.main.list_transform(
        system.main.list_filter(
            system.main.list_value(
                '%', '*', '+', '-', '/', '//', '<<', '||', 'list_filter', 'list_value', 'map', 'struct_pack', 'unpivot_list'),
            lambda name: system.main.contains(
                system.main.json_serialize_plan(system.main.format('SELECT "{}"(DISTINCT 1)', name))::VARCHAR,
                'is a Scalar Function') IS NOT TRUE),
        lambda name: system.main.error(
            system.main.format('kanon: the macro {} takes the place of a built-in function (drop or rename it)', name)))::VARCHAR
));
