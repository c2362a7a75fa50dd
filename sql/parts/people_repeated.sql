-- people_repeated(source; qi): the CTEs before a query of "kanon#repeated", which has a row for each column of source that repeats people: its
-- name, people, rows, the shared columns and bits. qi is a list of columns as SQL, in small letters.

-- A number for each cell, equal for equal values, and NULL for NULL. Ages are whole numbers, less the year of the first other date.
"kanon#coded" AS MATERIALIZED (
    SELECT system.main.list_value(*COLUMNS(''(?s)^c.*'')) AS codes
    FROM (
        SELECT CASE
                   WHEN COLUMNS(''(?s)^c.*'') IS NULL THEN NULL
                   WHEN @says_age(system.main.substring(system.main.alias(COLUMNS(''(?s)^c.*'')), 2))
                       AND TRY_CAST(CAST(COLUMNS(''(?s)^c.*'') AS VARCHAR) AS DOUBLE) BETWEEN 0 AND 1000
                   THEN system.main.subtract(system.main.add(system.main.floor(TRY_CAST(CAST(COLUMNS(''(?s)^c.*'') AS VARCHAR) AS DOUBLE)),
                       1000000), written)::UBIGINT
                   WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(''(?s)^c.*'')), ''VARIANT|TUPLE\(|UNION\('')
                   THEN system.main.hash(system.main.create_sort_key(system.main.row(COLUMNS(''(?s)^c.*'')), ''ASC NULLS LAST''))
                   ELSE system.main.hash(COLUMNS(''(?s)^c.*''))
               END
        FROM (
            SELECT COLUMNS(''(?s)^c.*''), coalesce(*COLUMNS(''(?s)^y.*''), 0) AS written
            FROM (
                SELECT COLUMNS(''(?s)(.*)'') AS "c\1", CASE
                           WHEN system.main.regexp_matches(system.main.typeof(COLUMNS(''(?s)(.*)'')), ''^(DATE|TIMESTAMP)'')
                               AND NOT system.main.regexp_full_match(@called(system.main.alias(COLUMNS(''(?s)(.*)'')))
                                   , ''@named(date of birth)'')
                           THEN system.main.year(TRY_CAST(CAST(COLUMNS(''(?s)(.*)'') AS VARCHAR) AS TIMESTAMP)) END AS "y\1"
                FROM <source>
            ) AS cells
        ) AS cells
    ) AS cells
),
-- Columns on one topic say the same about a person; a column of qi without one is a topic of its own. Fewer than two are no evidence.
-- Of many cells, a part is enough: of a column with few values some of its rows, of others all rows of some values.
"kanon#columns" AS MATERIALIZED (
    SELECT place, name, topic, coalesce(topic, name) AS says, drifts, personal,
           system.main.greatest(1, system.main.least(system.main.divide("rows", 2000), system.main.divide(
               system.main.multiply("rows", system.main.multiply(system.main.count(*) OVER (), system.main.count(*) FILTER (personal) OVER ())),
               1000000)))::UBIGINT AS parts
    FROM (
        SELECT place, name, topic, drifts, topic IS NOT NULL OR system.main.list_contains(<qi>, system.main.translate(
                   name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')) AS personal
        FROM (
            SELECT *, CASE @topics(e-mail address, web address, IP address, diagnosis, result) ELSE NULL END AS topic
            FROM (
                SELECT *, system.main.regexp_full_match(called, ''@not_identifying()'') AS spared
                FROM (
                    SELECT name, place, @called(name) AS called,
                           @says_age(name) AS drifts
                    FROM (
                        SELECT system.main.unnest(names) AS name,
                               system.main.unnest(system.main.range(1, system.main.add(system.main.len(names), 1))) AS place
                        FROM (
                            @names(FROM <source>)
                        ) AS names
                    ) AS names
                ) AS names
            ) AS names
        ) AS names
    ) AS names, (SELECT system.main.count(*) AS "rows" FROM "kanon#coded") AS counted
    QUALIFY system.main.count(*) FILTER (personal) OVER () > 1 AND "rows" > 30
),
"kanon#met" AS MATERIALIZED (
    SELECT place, code, codes, system.main.mod(drawn, parts) = 0 AS drawn, parts
    FROM (
        SELECT codes, drawn, system.main.unnest(codes) AS code, system.main.unnest(system.main.range(1, system.main.add(system.main.len(codes), 1))) AS place
        FROM (SELECT codes, system.main.hash(system.main.row_number() OVER ()) AS drawn FROM "kanon#coded") AS coded
    ) AS cells, (SELECT system.main.max(parts) AS parts FROM "kanon#columns") AS columns
    WHERE system.main.mod(code, parts) = 0 OR code IS NOT NULL AND system.main.mod(drawn, parts) = 0
),
"kanon#drawn" AS (
    SELECT met.place, met.code, codes, CASE WHEN many THEN parts ELSE 1 END AS kept
    FROM "kanon#met" AS met
    JOIN (
        SELECT place, system.main.multiply(system.main.count(DISTINCT code), 2) > system.main.count(code) AS many
        FROM "kanon#met"
        WHERE drawn
        GROUP BY place
    ) AS columns ON columns.place = met.place
    WHERE CASE WHEN many THEN system.main.mod(code, parts) = 0 ELSE drawn END
),
-- The values of each column that several rows have, if these are enough; "values" estimates how many the column has in all.
"kanon#counted" AS MATERIALIZED (
    SELECT place, code, "values"
    FROM (
        SELECT place, code, "rows", system.main.multiply(kept, system.main.count(*) OVER (PARTITION BY place)) AS "values",
               system.main.sum(system.main.subtract("rows", 1)) OVER (PARTITION BY place) AS pairs
        FROM (SELECT place, code, kept, system.main.count(*) AS "rows" FROM "kanon#drawn" GROUP BY ALL) AS drawn
    ) AS counted
    WHERE pairs >= 30 AND "rows" > 1
),
-- How many rows have which values of a column (NULL for all of them) and of a personal column.
"kanon#cells" AS MATERIALIZED (
    SELECT place, other, code, value, system.main.count(*)::DOUBLE AS n
    FROM (
        SELECT drawn.place, drawn.code, personal.place AS other, system.main.list_extract(codes, personal.place) AS value
        FROM "kanon#drawn" AS drawn
        JOIN "kanon#counted" AS counted ON counted.place = drawn.place AND counted.code = drawn.code
        JOIN "kanon#columns" AS personal ON personal.personal AND personal.place <> drawn.place
    ) AS cells
    WHERE value IS NOT NULL
    GROUP BY GROUPING SETS ((place, other, code, value), (place, other, value))
),
-- The expected share of pairs that agree: of rows next to each other in a value of the column, in random order, and of any two rows.
"kanon#agreeing" AS MATERIALIZED (
    SELECT place, other, system.main.sum(system.main.subtract(size, 1)) FILTER (code IS NOT NULL) AS pairs,
           system.main."/"(system.main.sum(system.main."/"(agree, size)) FILTER (code IS NOT NULL), pairs) AS own,
           system.main.max(system.main."/"(agree, system.main.multiply(size, system.main.subtract(size, 1)))) FILTER (code IS NULL) AS chance,
           system.main.max("values") FILTER (code IS NULL) >= system.main.multiply(0.99, system.main.count(code)) AS as_many
    FROM (
        SELECT place, other, code, system.main.sum(n) AS size, system.main.sum(agree) AS agree, system.main.count(n) AS "values"
        FROM (
            SELECT place, other, code, n, system.main.multiply(n, system.main.subtract(n, 1)) AS agree FROM "kanon#cells"
            UNION ALL
            SELECT cells.place, cells.other, cells.code, NULL, system.main.multiply(2, system.main.multiply(cells.n, older.n))
            FROM "kanon#cells" AS cells
            JOIN "kanon#columns" AS columns ON columns.place = cells.other AND columns.drifts
            JOIN "kanon#cells" AS older ON older.place = cells.place AND older.other = cells.other
                AND older.code IS NOT DISTINCT FROM cells.code AND older.value = system.main.add(cells.value, 1::UBIGINT)
        ) AS cells
        GROUP BY place, other, code
    ) AS cells
    WHERE size > 1
    GROUP BY place, other
),
-- What speaks for and against: not what nearly all rows agree on, and not another name of the column. Once with and once without the
-- columns of qi that say nothing by their names.
"kanon#evidence" AS MATERIALIZED (
    SELECT agreeing.place, agreeing.other, every, others.name, others.says, others.drifts, own >= 0.9 AS shared, chance,
           system.main."/"(system.main.subtract(own, chance), system.main.subtract(1, chance)) AS better
    FROM "kanon#agreeing" AS agreeing
    JOIN "kanon#columns" AS columns ON columns.place = agreeing.place
    JOIN "kanon#columns" AS others ON others.place = agreeing.other
    JOIN (VALUES (false), (true)) AS scopes(every) ON every OR others.topic IS NOT NULL
    WHERE pairs >= 30 AND NOT (own >= 0.9 AND chance > 0.7) AND columns.says <> others.says
        AND NOT (others.topic IS NULL AND own >= 0.999 AND as_many)
),
"kanon#sizes" AS MATERIALIZED (
    SELECT place, system.main.max("values") AS "values" FROM "kanon#counted" GROUP BY place
),
-- A column that a coarser one determines counts with it. If birth dates or sexes differ as they do anywhere, several people share a value.
"kanon#judged" AS MATERIALIZED (
    SELECT place, system.main.max(bits) AS bits
    FROM (
        SELECT place, every, system.main.count(*) AS topics, system.main.count(*) FILTER (shared) AS shared, system.main.sum(bits) AS bits,
               system.main.bool_or(says IN (''birth'', ''sex'') AND several) AS several
        FROM (
            SELECT place, every, says, system.main.bool_or(shared) AS shared,
                   system.main.max(CASE WHEN shared THEN system.main.log2(system.main."/"(1, chance)) END) AS bits,
                   system.main.bool_or(better < 0.25 AND NOT drifts) OR NOT system.main.bool_or(shared) AND system.main.min(better) < 0.25 AS several
            FROM "kanon#evidence" AS evidence
            WHERE NOT EXISTS (
                FROM "kanon#evidence" AS coarser
                JOIN "kanon#agreeing" AS agreeing ON agreeing.place = coarser.other AND agreeing.other = evidence.other AND own >= 0.95
                JOIN "kanon#sizes" AS determining ON determining.place = coarser.other
                JOIN "kanon#sizes" AS determined ON determined.place = evidence.other
                JOIN "kanon#sizes" AS sizes ON sizes.place = evidence.place
                WHERE coarser.place = evidence.place AND coarser.every = evidence.every AND coarser.shared = evidence.shared
                    AND coarser.says <> evidence.says AND system.main.multiply(determining."values", 2) < sizes."values"
                    AND (determining."values" > determined."values"
                        OR determining."values" = determined."values" AND coarser.other < evidence.other)
            )
            GROUP BY place, every, says
        ) AS topics
        GROUP BY place, every
    ) AS judged
    JOIN "kanon#sizes" AS sizes USING (place)
    WHERE "values" >= 10 AND bits >= 6 AND NOT several AND (shared >= 3 OR shared = topics AND shared > 1)
        AND system.main.multiply(shared, 3) >= system.main.multiply(topics, 2)
    GROUP BY place
),
"kanon#repeated" AS MATERIALIZED (
    SELECT name, people, "rows", shared, bits, place
    FROM "kanon#judged" AS judged
    JOIN "kanon#columns" AS columns USING (place)
    JOIN (
        SELECT place, system.main.count(DISTINCT system.main.list_extract(codes, place)) AS people,
               system.main.count(system.main.list_extract(codes, place)) AS "rows"
        FROM "kanon#coded", "kanon#judged"
        GROUP BY place
    ) AS counted USING (place)
    JOIN (
        SELECT place, system.main.list(name ORDER BY other ASC NULLS LAST) AS shared FROM "kanon#evidence" WHERE shared AND every GROUP BY place
    ) AS evidence USING (place)
)
