-- label_readings(trees): CTEs that read the labels of a release: what is below a label in a hierarchy, the words of sets, and the other labels as
-- stretches of the sorted values of their columns. They read "kanon#columns" and "kanon#symbols"; trees is a query of hierarchies.

"kanon#labels" AS MATERIALIZED (
    SELECT *,
           CASE
               WHEN system.main.regexp_full_match(base, ''"([^"]|"")*"'')
               THEN system.main.replace(system.main.regexp_extract(base, ''^"(.*)"$'', 1, ''s''), ''""'', ''"'')
               ELSE base
           END AS word
    FROM (
        SELECT position, symbol, system.main.decode(symbol) AS label,
               system.main.regexp_replace(system.main.decode(symbol), '' or NULL$'', '''') AS base
        FROM "kanon#symbols"
        WHERE symbol IS NOT NULL AND released_rows > 0 AND original_rows = 0
    ) AS labels
),
-- The values of the columns that have labels.
"kanon#values" AS MATERIALIZED (
    SELECT position, symbol, system.main.decode(symbol) AS text
    FROM "kanon#symbols"
    WHERE original_rows > 0 AND position IN (SELECT position FROM "kanon#labels")
),
"kanon#kinds" AS MATERIALIZED (
    SELECT position,
           system.main.bool_and(text IS NULL OR system.main.regexp_full_match(
               text, '' *[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{{1,4}})?|inf|nan) *'')) AS numbers,
           system.main.bool_and(text IS NULL
                                OR system.main.regexp_matches(text, ''^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}($| )'')) AS dates,
           system.main.bool_or(text IS NULL) AS nulls
    FROM "kanon#values"
    GROUP BY position
),
"kanon#trees" AS MATERIALIZED (
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
    FROM (<trees>) AS trees
    LEFT JOIN "kanon#columns" AS named ON system.main.translate(named.name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')
                                                = system.main.translate(trees.name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')
),
-- All that is above a value; the labels of a line of levels are above its first one only.
"kanon#ancestors" AS (
    SELECT known.position AS position, symbol, system.main.unnest(labels[2:]) AS label, levels
    FROM "kanon#values" AS known
    JOIN "kanon#trees" AS trees ON trees.position = known.position AND trees.labels[1] IS NOT DISTINCT FROM symbol
    UNION
    SELECT ancestors.position, ancestors.symbol, trees.labels[2], false
    FROM "kanon#ancestors" AS ancestors
    JOIN "kanon#trees" AS trees ON trees.position = ancestors.position AND trees.labels[1] = ancestors.label
    WHERE NOT ancestors.levels
),
-- A set in braces: the values that are its words, NULL for one without quotes.
"kanon#sets" AS (
    SELECT words.position AS position, words.symbol AS symbol, known.symbol AS "value"
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
                        FROM "kanon#labels"
                        WHERE system.main.starts_with(label, ''{{'') AND system.main.suffix(label, ''}}'')
                    ) AS lists
                ) AS lists
            ) AS lists
            WHERE read = inside
        ) AS lists
    ) AS words
    JOIN "kanon#values" AS known ON known.position = words.position AND known.text IS NOT DISTINCT FROM word
    QUALIFY system.main.count(*) OVER (PARTITION BY words.position, words.symbol) = size
),
-- Any other label is a stretch of the values, in the order of numbers or of bytes: from its low end to its high one, and
-- for a prefix to FF, which is in no text. A prefix with stars is first read among the values of its length, then among all.
-- A text in quotes is itself, and so is a value of the column in front of '' or NULL''.
"kanon#stretches" AS MATERIALIZED (
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
                   WHEN form = ''period'' AND coded THEN [pair.low, pair.high]
                   WHEN form = ''period'' AND base[6] = ''Q''
                   THEN [base[:5] || [''01'', ''04'', ''07'', ''10''][base[7]::BIGINT],
                         base[:5] || [''03'', ''06'', ''09'', ''12''][base[7]::BIGINT]]
                   WHEN form = ''period''
                       THEN [system.main.regexp_replace(base, ''0s$'', ''''),
                             system.main.regexp_replace(base, ''0s$'', '''')]
                   ELSE [system.main.rtrim(base, ''*''), system.main.rtrim(base, ''*'')]
               END AS ends
        FROM (
            SELECT labels.position AS position, labels.symbol AS symbol, base, labels.word AS word, numbers, coded,
                   nulls AND label <> base AS nulls,
                   CASE
                       WHEN coded AND system.main.starts_with(base, ''<'')
                       THEN {{''low'': CASE WHEN numbers THEN ''-inf'' ELSE '''' END, ''high'': system.main.ltrim(base, ''<='')}}
                       WHEN coded AND system.main.suffix(base, ''+'')
                       THEN {{''low'': system.main.rtrim(base, ''+''), ''high'': CASE WHEN numbers THEN ''inf'' ELSE ''9999'' END}}
                       ELSE system.main.regexp_extract(
                           base, ''^[\[(]("(?:[^"]|"")*"|(?:[^"].*?)??), (.*)[\])]$'', [''low'', ''high''], ''s'')
                   END AS pair,
                   CASE
                       WHEN system.main.regexp_full_match(
                           base,
                           system.main.concat(''\[("([^"]|"")*"|([^",][^,]*)?(,+[^ ,][^,]*)*,*), '',
                                  ''("([^"]|"")*"|([^",][^,]*)?(,+[^ ,][^,]*)*,*)[\])]''))
                       THEN ''interval''
                       WHEN coded THEN CASE WHEN numbers THEN ''interval'' ELSE ''period'' END
                       WHEN labels.word <> base OR own.text IS NOT NULL THEN ''word''
                       WHEN dates
                            AND system.main.regexp_full_match(base,
                                ''[0-9]{{4}}(-[0-9]{{2}}){{0,2}}|[0-9]{{3}}0s|[0-9]{{4}}-Q[1-4]'')
                       THEN ''period''
                       WHEN system.main.suffix(base, ''*'') THEN ''prefix''
                       ELSE ''value''
                   END AS form
            FROM (
                -- top and bottom coding, and cuts; of dates by years
                SELECT *, (numbers AND system.main.regexp_full_match(
                              base,
                              system.main.concat(''[(]-?[0-9]+([.][0-9]+)?, -?[0-9]+([.][0-9]+)?[)]'',
                                     ''|-?[0-9]+([.][0-9]+)?[+]|<=?-?[0-9]+([.][0-9]+)?'')))
                          OR (dates AND system.main.regexp_full_match(base, ''[0-9]{{4}}[+]|<=[0-9]{{4}}'')) AS coded
                FROM "kanon#labels" AS labels
                JOIN "kanon#kinds" AS kinds USING (position)
            ) AS labels
            LEFT JOIN "kanon#values" AS own ON own.position = labels.position AND own.text = labels.word
        ) AS forms
    ) AS forms
    WHERE form <> ''interval''
          OR CASE system.main.len(system.main.list_filter(ends, lambda word: system.main.regexp_full_match(
                      word, '' *[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{{1,4}})?|inf|nan) *'')))
                 WHEN 2 THEN numbers OR system.main.suffix(base, '']'')
                 ELSE NOT numbers
             END
),
-- The ends of the stretches among the values: how many values are below each. A value is at its place.
"kanon#points" AS MATERIALIZED (
    SELECT position, symbol, nulls, rule, sign, text, by_number, size, system.main.sum(known) OVER (
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
            SELECT position, symbol, nulls, rule, size, by_number, ends[1], ''''::BLOB,
                   CASE WHEN by_number AND system.main.starts_with(base, ''('') THEN 2 ELSE 0 END, -1, 0
            FROM "kanon#stretches"
            UNION ALL
            SELECT position, symbol, nulls, rule, size, by_number, ends[2],
                   CASE WHEN form IN (''prefix'', ''period'') THEN ''\xFF''::BLOB ELSE ''''::BLOB END,
                   CASE WHEN form = ''interval'' AND system.main.regexp_matches(base, ''^<[^=]|[)]$'') THEN 0 ELSE 2 END, 1, 0
            FROM "kanon#stretches"
            UNION ALL
            SELECT known.position, NULL, NULL, NULL, known.size, by_number, text, ''''::BLOB, 1, 0, 1
            FROM (
                SELECT position, text, system.main.unnest([NULL, system.main.length(text)]) AS size
                FROM "kanon#values"
                WHERE text IS NOT NULL
            ) AS known
            JOIN (SELECT DISTINCT position, by_number, size FROM "kanon#stretches") AS orders
                ON orders.position = known.position AND orders.size IS NOT DISTINCT FROM known.size
        ) AS points(position, symbol, nulls, rule, size, by_number, text, beyond, side, sign, known)
    ) AS points
),
