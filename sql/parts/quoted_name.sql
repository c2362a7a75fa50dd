-- quoted_name(text): the branch of a CASE for the name of a table, maybe qualified, as quoted identifiers: it is never read as SQL.

CASE system.main.list_aggregate(
        system.main.regexp_extract_all(<text>, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[1:3],
        'string_agg', '.')
    WHEN system.main.nullif(<text>, '')
    THEN system.main.list_aggregate(
        system.main.list_transform(system.main.regexp_extract_all(<text>,
            '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+'), lambda part: CASE WHEN system.main.starts_with(part, '"')
                THEN part ELSE system.main.concat('"', part, '"') END),
         'string_agg', '.')
