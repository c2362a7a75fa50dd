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
             @spelled(SELECT {0} FROM {1} AS source)
         ) AS source
         GROUP BY 1
     ) AS classes',
    @all_quasi_identifiers(),
    @table(tbl),
    @built_in()
));
