CASE WHEN system.main.regexp_full_match(${text}, ' *[+-]?nan *') THEN system.main.row(3, 0::BIGINT, ''::BLOB)
             WHEN system.main.regexp_full_match(${text}, ' *[+]?inf *') THEN system.main.row(2, 0::BIGINT, ''::BLOB)
             WHEN system.main.regexp_full_match(${text}, ' *-inf *') THEN system.main.row(-2, 0::BIGINT, ''::BLOB)
             -- sign, size of the leading digit, digits: of a negative number the complements, and a sign after the last
             WHEN system.main.regexp_full_match(${text}, ' *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})? *')
             THEN system.main.list_transform([system.main.regexp_extract(
                 ${text}, '^ *([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))? *$$', ['sign', 'whole', 'part', 'power'])],
                 lambda word: CASE
                     WHEN system.main.trim(word.whole || word.part, '0') = '' THEN system.main.row(0, 0::BIGINT, ''::BLOB)
                     ELSE system.main.list_transform([{
                         'size': coalesce(TRY_CAST(word.power AS BIGINT), 0) + system.main.length(word.whole)
                             - system.main.length(word.whole || word.part)
                             + system.main.length(system.main.ltrim(word.whole || word.part, '0')),
                         'digits': system.main.trim(word.whole || word.part, '0')}],
                         lambda read: CASE word.sign WHEN '-'
                             THEN system.main.row(
                                 -1, -read.size, system.main.encode(system.main.translate(read.digits, '0123456789', '9876543210') || ':'))
                             ELSE system.main.row(1, read.size, system.main.encode(read.digits)) END)[1]
                     END)[1]
        END