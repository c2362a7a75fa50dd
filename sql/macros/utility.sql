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
    @all_quasi_identifiers(),
    @table(released),
    @table(original),
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
             @tree_cells()
             FROM ' || @quoted_name(entry['value'])
                ELSE system.main.error(system.main.format('kanon: hierarchies names something that is not a table: {}',
                    coalesce(entry['value'], 'NULL')))
            END || ' AS source
         ) AS source'), 'string_agg', ' UNION ALL ')
        ELSE 'SELECT NULL::VARCHAR AS name, NULL::STRUCT(step BIGINT, form VARCHAR, label BLOB)[] AS cells WHERE false'
    END,
    coalesce('''' || system.main.replace(suppress::VARCHAR, '''', '''''') || '''', 'NULL::VARCHAR'),
    @built_in()
));
