-- interval_ends(label): the two ends of an interval, as texts; of any other label, the label twice.
--
-- Generalized columns are texts: [35, 40), [17, 23] or [17, 23] or NULL. This reads them, so that one column becomes two, of
-- whatever type: SELECT interval_ends(lat).low::DOUBLE AS lat_min, interval_ends(lat).high::DOUBLE AS lat_max.
-- Of 90+ (and up) the high end is NULL, of <18 and <=18 the low one.
-- A value that stands alone is its own interval. Ends and values in double quotes come without them: ["Smith, A", Zorn].
-- A suppressed cell is NULL, and so is a label in brackets that has not two ends.
--
-- Arguments:
--   label   VARCHAR   a cell of a generalized column
--
-- Result:
--   STRUCT(low VARCHAR, high VARCHAR)
--
-- Cost: one pass over the text.
CREATE OR REPLACE MACRO interval_ends(label) AS
system.main.list_extract(system.main.list_transform(
    CASE
        WHEN system.main.regexp_full_match(label::VARCHAR, '-?[0-9]+([.][0-9]+)?[+]')
        THEN system.main.list_value(system.main.struct_pack(low := system.main.rtrim(label::VARCHAR, '+'), high := NULL::VARCHAR))
        WHEN system.main.regexp_full_match(label::VARCHAR, '<=?-?[0-9]+([.][0-9]+)?')
        THEN system.main.list_value(system.main.struct_pack(low := NULL::VARCHAR, high := system.main.ltrim(label::VARCHAR, '<=')))
        WHEN system.main.regexp_full_match(label::VARCHAR, '[(]-?[0-9]+([.][0-9]+)?, -?[0-9]+([.][0-9]+)?[)]')
        THEN system.main.list_value(system.main.regexp_extract(
            label::VARCHAR, '^[(](.*), (.*)[)]$', system.main.list_value('low', 'high')))
        WHEN NOT system.main.regexp_matches(label::VARCHAR, '^\[.*[\])]( or NULL)?$', 's')
        THEN system.main.list_value(system.main.struct_pack(low := system.main.regexp_replace(label::VARCHAR, ' or NULL$', ''),
                                                    high := system.main.regexp_replace(label::VARCHAR, ' or NULL$', '')))
        -- a word in quotes, or one without ', '
        WHEN system.main.regexp_full_match(
            label::VARCHAR,
            '\[("([^"]|"")*"|([^",][^,]*)?(,+[^ ,][^,]*)*,*), ("([^"]|"")*"|([^",][^,]*)?(,+[^ ,][^,]*)*,*)[\])]( or NULL)?')
        THEN system.main.list_value(system.main.regexp_extract(
            label::VARCHAR, '^\[("(?:[^"]|"")*"|(?:[^"].*?)??), (.*)[\])](?: or NULL)?$', system.main.list_value('low', 'high'), 's'))
    END,
    lambda ends: system.main.struct_pack(
        low := CASE
            WHEN system.main.regexp_full_match(ends.low, '"([^"]|"")*"')
            THEN system.main.replace(system.main.regexp_extract(ends.low, '^"(.*)"$', 1, 's'), '""', '"')
            ELSE ends.low
        END,
        high := CASE
            WHEN system.main.regexp_full_match(ends.high, '"([^"]|"")*"')
            THEN system.main.replace(system.main.regexp_extract(ends.high, '^"(.*)"$', 1, 's'), '""', '"')
            ELSE ends.high
        END)), 1);
