-- utility(released, original, qi := NULL): what a release by suppression has cost, and what it still tells.
--
-- A cell is suppressed if it is NULL or the text '*'. Cells that are so in the original are not counted: in each column
-- suppressed = (rows shown in the original) - (rows shown in the release). A cell is generalized if it is shown but its
-- value does not occur in that column of the original (98*** for 98101). Values are compared as text, byte by byte.
-- The two tables need no row key and no common order.
--
-- usefulness is the measure of Loukides and Shao: the average over the released classes of the tuple diversity, which is
-- the sum over the columns of the diversity of the original values of the class: the number of distinct values over that
-- of the whole column (range over range for numbers and dates). 0 is best, the number of columns is worst. Without
-- a row key, the original values of a column of a class that is NULL, '*' or generalized are not known: it counts 1 (the
-- whole column), so that the figure is an upper bound of usefulness. A shown column counts exactly: 1 / (number of distinct
-- values of the column in the original, NULL being one), 0 for numbers and dates.
--
-- Arguments:
--   released   VARCHAR     name of the released table, view, CTE or quoted file, optionally qualified. It is read as an
--                          identifier, never as SQL.
--   original   VARCHAR     the same for the table it was made from
--   qi         VARCHAR[]   the quasi-identifiers; by default every column, paired by position
--
-- Result columns (one row; every share and average is NULL for an empty table):
--   rows                 BIGINT    number of rows
--   cells                BIGINT    rows x quasi-identifiers
--   suppressed_cells     BIGINT    see above
--   suppressed_share     DOUBLE    suppressed_cells / cells
--   generalized_cells    BIGINT    see above; 0 for a release that only suppresses
--   ncp                  DOUBLE    normalized certainty penalty: mean loss of a cell, 1 if suppressed, 0 if shown as it
--                                  was; a generalized cell counts 1 (an upper bound: hierarchies are not known here)
--   classes              BIGINT    equivalence classes of the release
--   average_class_size   DOUBLE    C_avg = rows / classes (divide by k to have it normalized)
--   discernibility       BIGINT    C_DM = sum of class_size^2
--   usefulness           DOUBLE    see above
--
-- Errors: the tables differ in the number of rows or columns; a column shows more cells in the release than in the original.
--
-- Cost: each table is read once and grouped into its distinct rows; then one GROUP BY over (distinct rows x columns) cells.
CREATE OR REPLACE MACRO utility(released, original, qi := NULL) AS TABLE
FROM query(format(
    'SELECT coalesce(max(released_rows), 0)::BIGINT AS "rows",
            coalesce(sum(released_rows), 0)::BIGINT AS cells,
            coalesce(sum(suppressed), 0)::BIGINT AS suppressed_cells,
            sum(suppressed)::DOUBLE / sum(released_rows) AS suppressed_share,
            coalesce(sum(generalized), 0)::BIGINT AS generalized_cells,
            sum(suppressed + generalized)::DOUBLE / sum(released_rows) AS ncp,
            coalesce(max(released_classes), 0)::BIGINT AS classes,
            max(released_rows)::DOUBLE / max(released_classes) AS average_class_size,
            coalesce(max(squares), 0)::BIGINT AS discernibility,
            sum(released_classes - shown + CASE WHEN metric THEN 0 ELSE shown::DOUBLE / domain END)
                / max(released_classes) AS usefulness
     FROM (
         SELECT sum(released_rows) AS released_rows,
                sum(original_rows) AS original_rows,
                sum(released_classes) AS released_classes,
                sum(squares) AS squares,
                bool_or(metric) AS metric,
                count(*) FILTER (original_rows > 0) AS domain,
                coalesce(sum(released_classes) FILTER (symbol IS NOT NULL AND original_rows > 0), 0) AS shown,
                coalesce(sum(released_rows) FILTER (symbol IS NOT NULL AND original_rows = 0), 0) AS generalized,
                coalesce(sum(released_rows - original_rows) FILTER (symbol IS NULL), 0) AS suppressed
         FROM (
             SELECT position,
                    nullif(cell.symbol, ''*''::BLOB) AS symbol,
                    bool_or(cell.metric) FILTER (original_rows > 0) AS metric,
                    sum(released_rows) AS released_rows,
                    sum(released_classes) AS released_classes,
                    sum(squares) AS squares,
                    sum(original_rows) AS original_rows
             FROM (
                 SELECT unnest(cells), unnest(range(len(cells))), size, 1, size::HUGEINT * size, 0
                 FROM (
                     SELECT cells, count(*)
                     FROM (
                         SELECT list_value(*COLUMNS(*))
                         FROM (
                             SELECT struct_pack(
                                 symbol := encode(COLUMNS(*)::VARCHAR),
                                 metric := regexp_matches(
                                     typeof(COLUMNS(*)),
                                     ''^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL[(0-9,)]+''
                                     || ''|DATE|TIMESTAMP[A-Z_ ]*)$''))
                             FROM (SELECT {0} FROM {1} AS source) AS released
                         ) AS cells
                     ) AS released(cells)
                     GROUP BY cells
                 ) AS classes(cells, size)
                 UNION ALL
                 SELECT unnest(cells), unnest(range(len(cells))), 0, 0, 0, size
                 FROM (
                     SELECT cells, count(*)
                     FROM (
                         SELECT list_value(*COLUMNS(*))
                         FROM (
                             SELECT struct_pack(
                                 symbol := encode(COLUMNS(*)::VARCHAR),
                                 metric := regexp_matches(
                                     typeof(COLUMNS(*)),
                                     ''^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL[(0-9,)]+''
                                     || ''|DATE|TIMESTAMP[A-Z_ ]*)$''))
                             FROM (SELECT {0} FROM {2} AS source) AS original
                         ) AS cells
                     ) AS original(cells)
                     GROUP BY cells
                 ) AS classes(cells, size)
             ) AS cells(cell, position, released_rows, released_classes, squares, original_rows)
             GROUP BY ALL
         ) AS symbols
         GROUP BY position
     ) AS columns_of_both
     HAVING CASE
         WHEN max(released_rows) <> max(original_rows)
         THEN error(format(''kanon: the release has {{}} rows and the original {{}}'',
                           max(released_rows), max(original_rows)))
         WHEN count(*) FILTER (released_rows > 0) <> count(*) FILTER (original_rows > 0)
         THEN error(format(''kanon: the release has {{}} columns and the original {{}} (name the quasi-identifiers in qi)'',
                           count(*) FILTER (released_rows > 0), count(*) FILTER (original_rows > 0)))
         WHEN min(suppressed) < 0
         THEN error(''kanon: a column shows more cells in the release than in the original: is it a release of that table?'')
         ELSE true
     END',
    CASE
        WHEN qi IS NULL THEN 'source.*'
        WHEN len(qi::VARCHAR[]) = 0 THEN error('kanon: qi is an empty list (leave it out to take every column)')
        WHEN list_count(qi::VARCHAR[]) < len(qi::VARCHAR[]) THEN error('kanon: qi holds NULL instead of a column name')
        WHEN list_unique([lower(name) FOR name IN qi::VARCHAR[]]) < len(qi::VARCHAR[])
        THEN error('kanon: qi names a column twice')
        ELSE array_to_string(['source."' || replace(name, '"', '""') || '"' FOR name IN qi::VARCHAR[]], ', ')
    END,
    CASE array_to_string(
            regexp_extract_all(released::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            '.')
        WHEN nullif(released::VARCHAR, '')
        THEN array_to_string(
            [CASE WHEN starts_with(part, '"') THEN part ELSE '"' || part || '"' END
             FOR part IN regexp_extract_all(released::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')],
            '.')
        ELSE error(format('kanon: released is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(released::VARCHAR, 'NULL')))
    END,
    CASE array_to_string(
            regexp_extract_all(original::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            '.')
        WHEN nullif(original::VARCHAR, '')
        THEN array_to_string(
            [CASE WHEN starts_with(part, '"') THEN part ELSE '"' || part || '"' END
             FOR part IN regexp_extract_all(original::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')],
            '.')
        ELSE error(format('kanon: original is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(original::VARCHAR, 'NULL')))
    END
));
