-- read_masks(): the masks, or NULL: of each column that one names the place in qi; DIGITS, INTERVALS, PERIODS or CUTS; these levels as a list,
-- where 0 is the numbers between the ends, and CUTS are 1; whether no value is shown; the ends, and the cuts.

CASE
    WHEN masks IS NULL OR qi IS NULL THEN NULL
    WHEN system.main.len(masks::VARCHAR[][]) = 0 THEN system.main.error('kanon: masks is an empty list')
    ELSE system.main.list_transform(masks::VARCHAR[][], lambda mask: CASE
        WHEN mask IS NULL THEN system.main.error('kanon: masks holds NULL instead of a list of columns')
        ELSE system.main.list_transform(system.main.list_transform(system.main.list_transform(mask, lambda shown:
            system.main.regexp_extract(shown, '(?is)^(.+?)(?:\s+IN\s+(DIGITS|INTERVALS|CUTS|HIERARCHY|BINS|REGIONS|RECTANGLES|RANGES|SETS|'
                'MEANS|MEDIANS)\b(?:\s*(ONLY)\b)?(.*?))?((?:\s+(?:TOP|BOTTOM)\s+-?\s*[0-9._]+)+\s*)?$',
                system.main.list_value('name', 'kind', 'only', 'levels', 'ends'))),
            lambda shown: system.main.struct_pack(
            place := coalesce(
                system.main.subtract(system.main.nullif(system.main.list_position(
                    system.main.list_transform(qi::VARCHAR[], lambda name: @small(name)),
                    system.main.translate(system.main.struct_extract(shown, 'name'), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')), 0), 1),
                system.main.error('kanon: a mask names a column that is not in qi'))::BIGINT,
            kind := CASE system.main.upper(system.main.struct_extract(shown, 'kind'))
                WHEN '' THEN CASE WHEN system.main.struct_extract(shown, 'ends') = '' THEN '' ELSE 'ENDS' END
                WHEN 'DIGITS' THEN CASE
                    WHEN system.main.struct_extract(shown, 'ends') = '' AND system.main.struct_extract(shown, 'only') = '' THEN 'DIGITS'
                    ELSE system.main.error('kanon: DIGITS in a mask has no TOP, BOTTOM or ONLY (use these with INTERVALS or CUTS)') END
                WHEN 'INTERVALS'
                THEN CASE WHEN system.main.regexp_matches(system.main.struct_extract(shown, 'levels'), '(?i)[a-z]')
                    THEN 'PERIODS' ELSE 'INTERVALS' END
                WHEN 'CUTS' THEN 'CUTS'
                ELSE system.main.error('kanon: a mask has levels other than DIGITS, INTERVALS, CUTS, TOP and BOTTOM '
                    '(use these, or release with the Python package kanon-sql)')
            END,
            "only" := system.main.struct_extract(shown, 'only') <> '',
            levels := system.main.struct_extract(shown, 'levels'),
            ends := system.main.list_transform(system.main.list_value('TOP', 'BOTTOM'), lambda word: system.main.list_transform(
                system.main.regexp_extract_all(system.main.upper(system.main.struct_extract(shown, 'ends')),
                    system.main.concat('\b', word, '\s+(-?\s*[0-9._]+)'), 1), lambda number: @mask_number(number))))),
            lambda shown: system.main.struct_pack(
                place := system.main.struct_extract(shown, 'place'), kind := system.main.struct_extract(shown, 'kind'),
                "only" := system.main.struct_extract(shown, 'only'),
                ends := CASE
                    WHEN system.main.len(system.main.list_filter(system.main.struct_extract(shown, 'ends'), lambda found:
                        system.main.len(found) > 1)) > 0
                    THEN system.main.error('kanon: a mask has TOP or BOTTOM twice (write age TOP 90 BOTTOM 18)')
                    WHEN system.main.struct_extract(shown, 'kind') = 'PERIODS' AND system.main.len(system.main.list_filter(
                        system.main.flatten(system.main.struct_extract(shown, 'ends')), lambda found:
                        found::DECIMAL(36, 18) <> system.main.trunc(found::DECIMAL(36, 18)) OR found::DECIMAL(36, 18) NOT BETWEEN 1 AND 9999)) > 0
                    THEN system.main.error('kanon: TOP and BOTTOM of dates are years (write born IN INTERVALS (year) BOTTOM 1936)')
                    WHEN system.main.list_extract(system.main.list_extract(system.main.struct_extract(shown, 'ends'), 1), 1)::DECIMAL(36, 18)
                        <= system.main.list_extract(system.main.list_extract(system.main.struct_extract(shown, 'ends'), 2), 1)::DECIMAL(36, 18)
                    THEN system.main.error('kanon: TOP must be above BOTTOM (write age TOP 90 BOTTOM 18)')
                    ELSE system.main.list_transform(system.main.struct_extract(shown, 'ends'), lambda found: system.main.list_extract(found, 1))
                END,
                steps := CASE
                WHEN system.main.struct_extract(shown, 'kind') = 'INTERVALS' AND system.main.trim(system.main.struct_extract(shown, 'levels')) = ''
                THEN system.main.error('kanon: INTERVALS in a mask has no widths (write age IN INTERVALS (5, 10); '
                    'the Python package kanon-sql chooses intervals)')
                WHEN NOT system.main.regexp_full_match(
                    system.main.struct_extract(shown, 'levels'), CASE system.main.struct_extract(shown, 'kind')
                        WHEN 'CUTS' THEN '\s*\(\s*-?\s*[0-9._]+(\s*,\s*-?\s*[0-9._]+)*\s*\)\s*'
                        ELSE '\s*(\(\s*[\w.]+(\s*,\s*[\w.]+)*\s*\)\s*)?' END)
                THEN system.main.error('kanon: the levels of a mask cannot be read (write zip IN DIGITS (5, 3), age IN INTERVALS (5, 10), '
                    'age IN CUTS (18, 65) or born IN INTERVALS (month, year))')
                ELSE system.main.list_concat(CASE
                    WHEN system.main.struct_extract(shown, 'only')
                        OR system.main.len(system.main.flatten(system.main.struct_extract(shown, 'ends'))) = 0
                    THEN system.main.list_value()::VARCHAR[] ELSE system.main.list_value('0') END, CASE
                    WHEN system.main.struct_extract(shown, 'kind') = 'CUTS' THEN system.main.list_value('1')
                    ELSE system.main.list_transform(system.main.regexp_extract_all(
                        system.main.struct_extract(shown, 'levels'), '[\w.]+'), lambda level: CASE
                    WHEN CASE system.main.struct_extract(shown, 'kind')
                        WHEN 'DIGITS' THEN system.main.regexp_full_match(level, '0*[1-9][0-9_]{0,17}')
                        WHEN 'INTERVALS' THEN system.main.regexp_matches(level, '[1-9]') AND system.main.regexp_full_match(
                            system.main.replace(level, '_', ''), '[0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18}')
                    END
                    THEN system.main.replace(level, '_', '')
                    WHEN system.main.struct_extract(shown, 'kind') = 'PERIODS' AND system.main.list_contains(
                        system.main.list_value('day', 'month', 'quarter', 'year', 'decade'), system.main.lower(level))
                    THEN system.main.list_position(
                        system.main.list_value('day', 'month', 'quarter', 'year', 'decade'), system.main.lower(level))::VARCHAR
                    ELSE system.main.error('kanon: a mask has a level that is not a number of characters from 1, not a width above 0 '
                        'of at most 18 digits before and after the decimal point, and not one of day, month, quarter, year and decade')
                END) END)
                END,
                cuts := CASE WHEN system.main.struct_extract(shown, 'kind') = 'CUTS' THEN system.main.list_transform(
                    system.main.regexp_extract_all(system.main.struct_extract(shown, 'levels'), '-?\s*[0-9._]+'),
                    lambda number: @mask_number(number)) ELSE system.main.list_value()::VARCHAR[] END))
    END)
END
