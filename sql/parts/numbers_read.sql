-- numbers_read(names): the CTE of the numbers of values, read from their texts, digit by digit: none is rounded, but down to the decimals of the widths.
-- names are those of the columns.

-- Numbers are read from their texts, digit by digit: none is rounded, but down to the decimals of the widths.
"kanon values" AS MATERIALIZED (
    SELECT place, cell, text, size, CASE
               WHEN system.main.bool_or(kind = ''PERIODS'' AND far) OVER (PARTITION BY place)
                    AND system.main.bool_and(text IS NULL OR known OR far) OVER (PARTITION BY place)
               THEN system.main.error(system.main.concat(''kanon: '', system.main.count(*) FILTER (far) OVER (PARTITION BY place),
                   '' of the '', "values", '' values of the column '', system.main.list_extract(<names>, system.main.add(place, 1)),
                   '' are dates outside the years 1 to 9999 (leave such rows out)''))
               WHEN system.main.bool_or(kind <> ''DIGITS'' AND text IS NOT NULL AND NOT known) OVER (PARTITION BY place)
               THEN system.main.error(system.main.concat(''kanon: '',
                   system.main.count(*) FILTER (text IS NOT NULL AND NOT known) OVER
                   (PARTITION BY place), '' of the '', "values", '' values of the column '', system.main.list_extract(<names>,
                   system.main.add(place, 1)), CASE kind
                       WHEN ''PERIODS'' THEN '' are no dates or timestamps (take widths such as INTERVALS (5, 10) for numbers)''
                       ELSE '' are no numbers (take INTERVALS (month, year) for dates)'' END))
               WHEN system.main.bool_or(kind IN (''INTERVALS'', ''CUTS'') AND system.main.length(digits) > 36) OVER (PARTITION BY place)
               THEN system.main.error(system.main.concat(''kanon: values of the column '', system.main.list_extract(<names>,
                   system.main.add(place, 1)), '' have more than 36 digits, with as many decimals as the widths have ''
                   ''(release with the Python package kanon-sql)''))
               WHEN kind = ''PERIODS''
               THEN TRY_CAST(system.main.concat(system.main.left(text, 4), system.main.repeat(''0'', decimals::INTEGER)) AS HUGEINT)
               WHEN kind <> ''DIGITS'' AND minus
               THEN system.main.subtract(CASE WHEN system.main.regexp_matches(rest, ''[1-9]'') THEN ''-1''::HUGEINT ELSE 0::HUGEINT END,
                                         system.main.concat(''0'', digits)::HUGEINT)
               WHEN kind <> ''DIGITS'' THEN system.main.concat(''0'', digits)::HUGEINT
               ELSE 0
           END AS number, kind <> ''PERIODS'' AND system.main.regexp_matches(rest, ''[1-9]'') AS more
    FROM (
        SELECT place, cell, text, size, kind, "values", decimals, minus, known, far,
               CASE WHEN known AND point > 0
                   THEN system.main.ltrim(system.main.rpad(word, point::INTEGER, ''0''), ''0'') ELSE '''' END AS digits,
               CASE WHEN point > 0 THEN system.main.substring(word, system.main.add(point, 1)) ELSE word END AS rest
        FROM (
            SELECT place, cell, text, size, kind, "values", decimals,
                   system.main.concat(read.whole, read.part) AS word, read.sign = ''-'' AS minus,
                   system.main.add(system.main.add(system.main.length(read.whole), coalesce(TRY_CAST(read.power AS BIGINT), 0)),
                       decimals) AS point,
                   system.main.regexp_full_match(text, ''-?infinity|([0-9]{{4,7}}-[0-9]{{2}}-[0-9]{{2}} \(BC\)|''
                       ''[0-9]{{5,7}}-[0-9]{{2}}-[0-9]{{2}})( [0-9:.]+)?'') AS far,
                   CASE
                       WHEN kind IN (''INTERVALS'', ''CUTS'')
                       THEN system.main.regexp_full_match(
                                text, '' *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{{1,4}})? *'')
                            AND coalesce(system.main.abs(system.main.subtract(system.main.add(
                                coalesce(TRY_CAST(read.power AS BIGINT), 0),
                                system.main.length(system.main.ltrim(system.main.concat(read.whole, read.part), ''0''))),
                                system.main.add(system.main.length(read.part), 1))) <= 400
                                OR NOT system.main.regexp_matches(system.main.concat(read.whole, read.part), ''[1-9]''), false)
                       WHEN kind = ''PERIODS''
                       THEN system.main.regexp_full_match(text, ''[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}( ([01][0-9]|2[0-3]):[0-5][0-9]:''
                                ''[0-5][0-9](\.[0-9]{{1,6}})?)?'')
                            AND system.main.left(text, 4) <> ''0000'' AND TRY_CAST(system.main.left(text, 10) AS DATE) IS NOT NULL
                   END AS known
            FROM (
                SELECT texts.*, kind, decimals, "values", system.main.regexp_extract(text,
                           ''^ *([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))? *$'',
                           system.main.list_value(''sign'', ''whole'', ''part'', ''power'')) AS read
                FROM "kanon texts" AS texts JOIN "kanon recodings" AS recodings ON recodings.place = texts.place
            ) AS texts
        ) AS words
    ) AS numbers
),
