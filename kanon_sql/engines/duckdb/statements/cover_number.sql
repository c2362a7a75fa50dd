CASE WHEN system.main.regexp_full_match(${text}, ' *[+-]?nan *') THEN '5'::BLOB
             WHEN system.main.regexp_full_match(${text}, ' *[+]?inf *') THEN '4'::BLOB
             WHEN system.main.regexp_full_match(${text}, ' *-inf *') THEN '0'::BLOB
             -- sign, place of the first digit, digits: of a negative number the complements, and a sign after the last
             WHEN system.main.regexp_full_match(${text}, ' *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})? *')
             THEN system.main.list_transform(system.main.list_transform(
                 [system.main.regexp_extract(
                     ${text}, '^ *([+-]?)0*([0-9]*)\.?(0*)([0-9]*)(?:[eE]([+-]?[0-9]+))? *$$',
                     ['sign', 'whole', 'zeros', 'part', 'power'])],
                 lambda word: {
                     'minus': word.sign = '-',
                     'digits': system.main.rtrim(
                         CASE WHEN word.whole = '' THEN word.part ELSE word.whole || word.zeros || word.part END, '0'),
                     'size': coalesce(TRY_CAST(word.power AS BIGINT), 0)
                         + CASE WHEN word.whole = '' THEN -system.main.length(word.zeros) ELSE system.main.length(word.whole) END}),
                 lambda read: system.main.encode(CASE
                     WHEN read.digits = '' THEN '2'
                     WHEN read.minus
                     THEN '1' || (5000000000 - read.size)::VARCHAR
                         || system.main.translate(read.digits, '0123456789', '9876543210') || ':'
                     ELSE '3' || (5000000000 + read.size)::VARCHAR || read.digits END))[1]
        END