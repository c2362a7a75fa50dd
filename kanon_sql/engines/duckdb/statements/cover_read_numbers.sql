, "kanon#read" AS MATERIALIZED (
        -- where each label begins and ends: '[35, 40)', '(18, 20)' above 18, '90+', '<=18', '<18', or a number alone
        SELECT label, ${low_number} AS low_number, ${high_number} AS high_number,
               system.main.regexp_matches(label, '^[(<]') AS above, NOT system.main.regexp_matches(label, '^<[^=]|[)+]$$') AS upto,
               TRY_CAST(high AS DOUBLE) - TRY_CAST(low AS DOUBLE) AS width
        FROM (
            SELECT label,
                   CASE WHEN system.main.starts_with(label, '<') THEN '-inf'
                        WHEN system.main.suffix(label, '+') THEN system.main.rtrim(label, '+')
                        ELSE pair.low END AS low,
                   CASE WHEN system.main.starts_with(label, '<') THEN system.main.ltrim(label, '<=')
                        WHEN system.main.suffix(label, '+') THEN 'inf'
                        ELSE pair.high END AS high
            FROM (
                SELECT label, CASE
                           WHEN system.main.regexp_full_match(label, '[[(][^, ]+, [^, ]+\)')
                           THEN system.main.regexp_extract(label, '^[[(](.*), (.*)\)$$', ['low', 'high'])
                           WHEN NOT system.main.regexp_matches(label, '^[[(]') THEN {'low': label, 'high': label} END AS pair
                FROM (SELECT DISTINCT label FROM "kanon#shown")
            )
        )
    )