-- utility(released, original, qi := NULL, hierarchies := NULL, suppress := '*'): what a release has lost, and how useful it still is.
--
-- A cell is suppressed if it is NULL or the text '*', or what suppress says. Cells that are so in the original are not counted: in each column
-- suppressed = (cells suppressed in the release) - (those in the original). A cell is generalized if it is shown but its
-- value does not occur in that column of the original (98*** for 98101). Values are compared as text, byte by byte.
-- A suppressed NULL of the original is not a loss here, because it looks like the NULL it was. The certificate counts it among
-- the suppressed cells, because suppressing it was decided and has a cost: its suppressed_cells may be greater.
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
--   90+  <=18  <18  (18, 20)    in a column of numbers: the values from 90 on, up to 18, below 18, between the two; 2020+ and
--                               <=1936 in one of dates: those from 2020 on, and up to the end of 1936
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
    'WITH RECURSIVE "kanon#columns" AS MATERIALIZED (
         SELECT system.main.row_number() OVER () - 1 AS position,
                column_name AS name,
                system.main.regexp_matches(
                    column_type,
                    ''^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL[(0-9,)]+|DATE|TIMESTAMP[A-Z_ ]*)$'') AS metric
         FROM (DESCRIBE SELECT {0} FROM {2} AS source) AS described
     ),
     -- What a column shows, in either table; a suppressed cell is NULL.
     "kanon#symbols" AS MATERIALIZED (
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
                         SELECT system.main.encode(@text_of(COLUMNS(*)))
                         FROM (
                             @spelled(SELECT {0} FROM {1} AS source)
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
                         SELECT system.main.encode(@text_of(COLUMNS(*)))
                         FROM (
                             @spelled(SELECT {0} FROM {2} AS source)
                         ) AS source
                     ) AS texts
                 ) AS original(cells)
                 GROUP BY cells
             ) AS classes(cells, size)
         ) AS cells(cell, position, released_rows, released_classes, squares, original_rows)
         GROUP BY ALL
     ),
     @label_readings({3})
     "kanon#covers" AS (
         SELECT position, symbol, system.main.arg_min(covered, rule) AS covered, system.main.arg_min(nulls, rule) AS nulls
         FROM (
             SELECT position, label AS symbol, system.main.count(*) AS covered, system.main.bool_or(symbol IS NULL) AS nulls, 0
                 AS rule
             FROM "kanon#ancestors"
             GROUP BY position, label
             UNION ALL
             SELECT position, symbol, system.main.count(*), system.main.bool_or("value" IS NULL), 1
             FROM "kanon#sets"
             GROUP BY position, symbol
             UNION ALL
             SELECT position, symbol, system.main.sum(sign * below) + CASE WHEN nulls THEN 1 ELSE 0 END, nulls, rule
             FROM "kanon#points"
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
                 FROM "kanon#symbols" AS symbols
                 LEFT JOIN "kanon#columns" AS named ON named.position = symbols.position
                 LEFT JOIN "kanon#covers" AS covers ON covers.position = symbols.position AND covers.symbol = symbols.symbol
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
    @all_quasi_identifiers(),
    @table(released),
    @table(original),
    @trees()
    ,
    @suppress_literal()
    ,
    @built_in()
));
