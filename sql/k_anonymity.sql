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
FROM query(format(
    'SELECT min(size) AS k,
            count(*) AS classes,
            coalesce(sum(size), 0)::BIGINT AS "rows",
            sum(size)::DOUBLE / nullif(count(*), 0) AS average_class_size,
            max(size) AS largest_class,
            count(*) FILTER (size = 1) AS uniques
     FROM (
         SELECT create_sort_key(row(*COLUMNS(*)), ''ASC NULLS FIRST''), count(*)
         FROM (SELECT {0} FROM {1} AS source) AS source
         GROUP BY 1
     ) AS classes(class, size)',
    CASE
        WHEN qi IS NULL THEN 'source.*'
        WHEN len(qi::VARCHAR[]) = 0 THEN error('kanon: qi is an empty list (leave it out to take every column)')
        WHEN list_count(qi::VARCHAR[]) < len(qi::VARCHAR[]) THEN error('kanon: qi holds NULL instead of a column name')
        WHEN list_unique([lower(name) FOR name IN qi::VARCHAR[]]) < len(qi::VARCHAR[])
        THEN error('kanon: qi names a column twice')
        ELSE array_to_string(['source."' || replace(name, '"', '""') || '"' FOR name IN qi::VARCHAR[]], ', ')
    END,
    CASE array_to_string(
            regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            '.')
        WHEN nullif(tbl::VARCHAR, '')
        THEN array_to_string(
            [CASE WHEN starts_with(part, '"') THEN part ELSE '"' || part || '"' END
             FOR part IN regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')],
            '.')
        ELSE error(format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END
));
