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
             @spelled(SELECT {0} FROM {1} AS source)
         ) AS source
         GROUP BY 1
     ) AS classes(class, size)',
    @all_quasi_identifiers(),
    @table(tbl),
    @built_in()
));
