-- utility(released, original, qi := NULL, hierarchies := NULL): what a release has cost, and what it still tells.
--
-- A cell is suppressed if it is NULL or the text '*'. Cells that are so in the original are not counted: in each column
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
--   {flu, gout}, {flu, NULL}    these values; all words must belong to values
--   [35, 40)  [17, 23]          the values from the low end to the high one, as numbers where all values of the column are
--   [adams, baker]              numbers, else byte by byte, as dates are in order too. A label with several ', ' is not read,
--                               nor are numbers in [35, 40) if the column has other values than numbers.
--   2026-11-21  2026-11  2026   the values of the day, month, quarter, year or decade, if all are dates or timestamps
--   2026-Q4  2020s
--   98***                       the values that begin so; but 98 alone if it is a value and the label has fewer characters
--                               than the longest value of the column
--   any but {} with ' or NULL'  what stands in front of it, a single value too, and NULL
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
CREATE OR REPLACE MACRO utility(released, original, qi := NULL, hierarchies := NULL) AS TABLE
FROM query(format(
    'WITH RECURSIVE "utility columns" AS MATERIALIZED (
         SELECT row_number() OVER () - 1 AS position,
                column_name AS name,
                regexp_matches(
                    column_type,
                    ''^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL[(0-9,)]+|DATE|TIMESTAMP[A-Z_ ]*)$'') AS metric
         FROM (DESCRIBE SELECT {0} FROM {2} AS source) AS described
     ),
     -- What a column shows, in either table; a suppressed cell is NULL.
     "utility symbols" AS MATERIALIZED (
         SELECT position,
                nullif(cell, ''*''::BLOB) AS symbol,
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
                     FROM (SELECT encode(COLUMNS(*)::VARCHAR) FROM (SELECT {0} FROM {1} AS source) AS released) AS texts
                 ) AS released(cells)
                 GROUP BY cells
             ) AS classes(cells, size)
             UNION ALL
             SELECT unnest(cells), unnest(range(len(cells))), 0, 0, 0, size
             FROM (
                 SELECT cells, count(*)
                 FROM (
                     SELECT list_value(*COLUMNS(*))
                     FROM (SELECT encode(COLUMNS(*)::VARCHAR) FROM (SELECT {0} FROM {2} AS source) AS original) AS texts
                 ) AS original(cells)
                 GROUP BY cells
             ) AS classes(cells, size)
         ) AS cells(cell, position, released_rows, released_classes, squares, original_rows)
         GROUP BY ALL
     ),
     "utility labels" AS MATERIALIZED (
         SELECT position, symbol, decode(symbol) AS label, regexp_replace(decode(symbol), '' or NULL$'', '''') AS base
         FROM "utility symbols"
         WHERE symbol IS NOT NULL AND released_rows > 0 AND original_rows = 0
     ),
     -- The values of the columns that have labels.
     "utility values" AS MATERIALIZED (
         SELECT position, symbol, decode(symbol) AS text
         FROM "utility symbols"
         WHERE original_rows > 0 AND position IN (SELECT position FROM "utility labels")
     ),
     "utility kinds" AS MATERIALIZED (
         SELECT position,
                bool_and(text IS NULL OR coalesce(isfinite(TRY_CAST(text AS DOUBLE)), false)) AS numbers,
                bool_and(text IS NULL OR regexp_matches(text, ''^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}($| )'')) AS dates,
                bool_or(text IS NULL) AS nulls,
                max(length(text)) AS longest
         FROM "utility values"
         GROUP BY position
     ),
     "utility trees" AS MATERIALIZED (
         SELECT CASE
                    WHEN position IS NULL
                    THEN error(''kanon: hierarchies names what is none of the columns: '' || trees.name)
                    ELSE position
                END AS position,
                list_transform(cells, lambda cell: cell.label) AS labels,
                CASE
                    WHEN len(cells) < 2
                         OR list_transform(cells, lambda cell: cell.step) IS DISTINCT FROM range(len(cells))
                         OR (cells[1].form = ''level'') <> (cells[-1].form = ''level'')
                    THEN error(''kanon: the columns of a hierarchy are not value, parent or level0, level1, ...'')
                    ELSE cells[1].form = ''level''
                END AS levels
         FROM ({3}) AS trees
         LEFT JOIN "utility columns" AS named ON lower(named.name) = lower(trees.name)
     ),
     -- All that is above a value; the labels of a line of levels are above its first one only.
     "utility ancestors" AS (
         SELECT known.position AS position, symbol, unnest(labels[2:]) AS label, levels
         FROM "utility values" AS known
         JOIN "utility trees" AS trees ON trees.position = known.position AND trees.labels[1] IS NOT DISTINCT FROM symbol
         UNION
         SELECT ancestors.position, ancestors.symbol, trees.labels[2], false
         FROM "utility ancestors" AS ancestors
         JOIN "utility trees" AS trees ON trees.position = ancestors.position AND trees.labels[1] = ancestors.label
         WHERE NOT ancestors.levels
     ),
     -- A set in braces: the values that are all of its words together; one may have several.
     "utility sets" AS (
         SELECT words.position AS position, words.symbol AS symbol, count(*) AS covered, bool_or(text IS NULL) AS nulls
         FROM (
             SELECT position, symbol, inside, len(words) AS size, unnest(words) AS word
             FROM (
                 SELECT position, symbol, label[2:-2] AS inside, list_distinct(string_split(label[2:-2], '', '')) AS words
                 FROM "utility labels"
                 WHERE starts_with(label, ''{{'') AND suffix(label, ''}}'')
             ) AS lists
         ) AS words
         JOIN "utility values" AS known
             ON known.position = words.position
             AND split_part(coalesce(text, ''NULL''), '', '', 1) = word
             AND (coalesce(text, ''NULL'') = word
                  OR contains('', '' || inside || '', '', '', '' || coalesce(text, ''NULL'') || '', ''))
         GROUP BY words.position, words.symbol, size
         HAVING sum(len(string_split(coalesce(text, ''NULL''), '', ''))) >= size
     ),
     -- Any other label is a stretch of the values, in the order of numbers or of bytes: from its low end to its high one, and
     -- for a prefix to FF, which is in no text. A value with stars that is shorter than the longest value is that value.
     "utility stretches" AS MATERIALIZED (
         SELECT *, form = ''interval'' AND numbers AS by_number
         FROM (
             SELECT *,
                    CASE
                        WHEN form = ''interval'' THEN string_split(base[2:-2], '', '')
                        WHEN form = ''period'' AND base[6] = ''Q''
                        THEN [base[:5] || [''01'', ''04'', ''07'', ''10''][base[7]::BIGINT],
                              base[:5] || [''03'', ''06'', ''09'', ''12''][base[7]::BIGINT]]
                        WHEN form = ''period'' THEN [regexp_replace(base, ''0s$'', ''''), regexp_replace(base, ''0s$'', '''')]
                        ELSE [rtrim(base, ''*''), rtrim(base, ''*'')]
                    END AS ends
             FROM (
                 SELECT labels.position AS position, labels.symbol AS symbol, base, numbers, nulls AND label <> base AS nulls,
                        CASE
                            WHEN regexp_matches(base, ''^\[.*[\])]$'', ''s'') AND len(string_split(base, '', '')) = 2
                            THEN ''interval''
                            WHEN dates
                                 AND regexp_full_match(base, ''[0-9]{{4}}(-[0-9]{{2}}){{0,2}}|[0-9]{{3}}0s|[0-9]{{4}}-Q[1-4]'')
                            THEN ''period''
                            WHEN suffix(base, ''*'') AND (whole.text IS NULL OR length(base) >= longest) THEN ''prefix''
                            ELSE ''value''
                        END AS form
                 FROM "utility labels" AS labels
                 JOIN "utility kinds" AS kinds ON kinds.position = labels.position
                 LEFT JOIN "utility values" AS whole ON whole.position = labels.position AND whole.text = rtrim(base, ''*'')
             ) AS forms
         ) AS forms
         WHERE form <> ''interval''
               OR CASE len(list_filter(ends, lambda word: TRY_CAST(word AS DOUBLE) IS NOT NULL))
                      WHEN 2 THEN numbers OR suffix(base, '']'')
                      ELSE NOT numbers
                  END
     ),
     "utility covers" AS (
         SELECT position, symbol, arg_min(covered, rule) AS covered, arg_min(nulls, rule) AS nulls
         FROM (
             SELECT position, label AS symbol, count(*) AS covered, bool_or(symbol IS NULL) AS nulls, 0 AS rule
             FROM "utility ancestors"
             GROUP BY position, label
             UNION ALL
             SELECT position, symbol, covered, nulls, 1 FROM "utility sets"
             UNION ALL
             SELECT position, symbol, sum(sign * below) + CASE WHEN nulls THEN 1 ELSE 0 END, nulls, 2
             FROM (
                 SELECT position, symbol, nulls, sign, sum(known) OVER (
                            PARTITION BY position, by_number
                            ORDER BY CASE
                                         WHEN by_number
                                         THEN create_sort_key(
                                             text::DOUBLE, ''ASC NULLS FIRST'',
                                             TRY_CAST(text AS DECIMAL(38, 15)), ''ASC NULLS FIRST'')
                                         ELSE encode(text) || beyond
                                     END ASC,
                                     side ASC) AS below
                 FROM (
                     SELECT position, symbol, nulls, by_number, ends[1], ''''::BLOB, 0, -1, 0
                     FROM "utility stretches"
                     UNION ALL
                     SELECT position, symbol, nulls, by_number, ends[2],
                            CASE WHEN form IN (''prefix'', ''period'') THEN ''\xFF''::BLOB ELSE ''''::BLOB END,
                            CASE WHEN form = ''interval'' AND suffix(base, '')'') THEN 0 ELSE 2 END, 1, 0
                     FROM "utility stretches"
                     UNION ALL
                     SELECT known.position, NULL, NULL, by_number, text, ''''::BLOB, 1, 0, 1
                     FROM "utility values" AS known
                     JOIN (SELECT DISTINCT position, by_number FROM "utility stretches") AS orders
                         ON orders.position = known.position
                     WHERE text IS NOT NULL
                 ) AS points(position, symbol, nulls, by_number, text, beyond, side, sign, known)
             ) AS points
             WHERE sign <> 0
             GROUP BY position, symbol, nulls
             HAVING sum(sign * below) > 0
         ) AS rules
         GROUP BY position, symbol
     )
     SELECT coalesce(max(released_rows), 0)::BIGINT AS "rows",
            coalesce(sum(released_rows), 0)::BIGINT AS cells,
            coalesce(sum(suppressed), 0)::BIGINT AS suppressed_cells,
            sum(suppressed)::DOUBLE / sum(released_rows) AS suppressed_share,
            coalesce(sum(generalized), 0)::BIGINT AS generalized_cells,
            coalesce(sum(unread), 0)::BIGINT AS unread_cells,
            avg(loss ORDER BY position ASC) AS ncp,
            map(list(name ORDER BY position ASC), list(loss ORDER BY position ASC)) AS loss,
            coalesce(max(released_classes), 0)::BIGINT AS classes,
            max(released_rows)::DOUBLE / max(released_classes) AS average_class_size,
            coalesce(max(squares), 0)::BIGINT AS discernibility,
            sum(released_classes - shown + CASE WHEN metric THEN 0 ELSE shown::DOUBLE / domain END)
                / max(released_classes) AS usefulness
     FROM (
         SELECT *,
                CASE
                    WHEN domain = 1 THEN 0
                    ELSE (lost + (suppressed + unread) * (domain - 1))::DOUBLE / (released_rows * (domain - 1))
                END AS loss
         FROM (
             SELECT position,
                    any_value(name) AS name,
                    any_value(metric) AS metric,
                    sum(released_rows) AS released_rows,
                    sum(original_rows) AS original_rows,
                    sum(released_classes) AS released_classes,
                    sum(squares) AS squares,
                    count(*) FILTER (original_rows > 0) AS domain,
                    coalesce(sum(released_classes) FILTER (symbol IS NOT NULL AND original_rows > 0), 0) AS shown,
                    coalesce(sum(released_rows) FILTER (generalized), 0) AS generalized,
                    coalesce(sum(released_rows) FILTER (generalized AND covered IS NULL), 0) AS unread,
                    coalesce(sum(released_rows * (covered - 1)) FILTER (generalized), 0) AS lost,
                    -- The NULLs of the original may be behind labels that take in NULL: there as many as possible are.
                    coalesce(least(
                        sum(released_rows) FILTER (symbol IS NULL),
                        sum(released_rows - original_rows) FILTER (symbol IS NULL)
                            + coalesce(sum(released_rows) FILTER (generalized AND nulls), 0)), 0) AS suppressed
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
    END,
    CASE
        WHEN list_unique([lower(name) FOR name IN map_keys(hierarchies::MAP(VARCHAR, VARCHAR))])
             < cardinality(hierarchies::MAP(VARCHAR, VARCHAR))
        THEN error('kanon: hierarchies names a column twice')
        WHEN cardinality(hierarchies::MAP(VARCHAR, VARCHAR)) > 0
        THEN array_to_string(
            list_transform(
                map_entries(hierarchies::MAP(VARCHAR, VARCHAR)),
                lambda entry: 'SELECT ''' || replace(entry['key'], '''', '''''') || ''' AS name,
                list_sort(list_value(*COLUMNS(*)), ''ASC'') AS cells
         FROM (
             SELECT struct_pack(
                 step := CASE
                     WHEN lower(alias(COLUMNS(*))) = ''value'' THEN 0
                     WHEN lower(alias(COLUMNS(*))) = ''parent'' THEN 1
                     WHEN starts_with(lower(alias(COLUMNS(*))), ''level'')
                     THEN TRY_CAST(substr(alias(COLUMNS(*)), 6) AS BIGINT)
                 END,
                 form := lower(alias(COLUMNS(*)))[:5],
                 label := encode(COLUMNS(*)::VARCHAR))
             FROM ' || CASE array_to_string(
                    regexp_extract_all(entry['value'], '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
                    '.')
                WHEN nullif(entry['value'], '')
                THEN array_to_string(
                    [CASE WHEN starts_with(part, '"') THEN part ELSE '"' || part || '"' END
                     FOR part IN regexp_extract_all(
                         entry['value'], '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')],
                    '.')
                ELSE error(format('kanon: hierarchies holds what is not the name of a table: {}',
                    coalesce(entry['value'], 'NULL')))
            END || ' AS source
         ) AS source'),
            ' UNION ALL ')
        ELSE 'SELECT NULL::VARCHAR AS name, NULL::STRUCT(step BIGINT, form VARCHAR, label BLOB)[] AS cells WHERE false'
    END
));
