-- '{a, b, c}', or the value alone; any of them may be in quotes, and NULL without quotes is the empty cell
    , "kanon#words" AS MATERIALIZED (
        SELECT DISTINCT label, CASE WHEN word <> 'NULL' OR NOT pair THEN ${word} END AS word
        FROM (
            SELECT label, pair, system.main.unnest(words) AS word,
                   system.main.list_aggregate(words, 'string_agg', ', ') = inside AS whole
            FROM (
                SELECT label, pair, inside, CASE WHEN pair THEN system.main.regexp_extract_all(
                           inside || ', ', '("(?:[^"]|"")*"|(?:[^"].*?)??), ', 1, 's') ELSE [inside] END AS words
                FROM (
                    SELECT label, system.main.regexp_full_match(told, '\{.*\}', 's') AS pair,
                           CASE WHEN system.main.regexp_full_match(told, '\{.*\}', 's')
                                THEN system.main.regexp_extract(told, '^\{(.*)\}$$', 1, 's') ELSE told END AS inside
                    FROM (${label_query})
                )
            )
        )
        WHERE whole
    )
    SELECT system.main.count(*) AS wrong
    FROM "kanon#shown" AS shown
    WHERE NOT EXISTS (
        FROM "kanon#words" AS words WHERE words.label = shown.label AND words.word IS NOT DISTINCT FROM shown.value
    )