-- labels(names): the CTEs of the rungs of each ladder and of the labels on them; names are those of the columns.

-- How many characters neighbours share, among the sorted values of one length: at these levels fewer labels are left.
"kanon beginnings" AS MATERIALIZED (
    SELECT DISTINCT place, system.main.list_reduce(
               system.main.list_transform(system.main.range(30, -1, -1), lambda power: system.main."<<"(1::BIGINT, power)),
               lambda shared, more: CASE
                   WHEN system.main.add(shared, more) < system.main.length(text)
                        AND system.main.encode(system.main.left(text, system.main.add(shared, more)))
                            = system.main.encode(system.main.left(before, system.main.add(shared, more)))
                   THEN system.main.add(shared, more)
                   ELSE shared
               END, 0::BIGINT) AS shared
    FROM (
        SELECT texts.place, text, system.main.lag(text) OVER (
                   PARTITION BY texts.place, system.main.length(text) ORDER BY cell ASC NULLS LAST) AS before
        FROM "kanon texts" AS texts JOIN "kanon recodings" AS recodings ON recodings.place = texts.place
        WHERE kind = ''DIGITS'' AND text IS NOT NULL
    ) AS neighbours
    WHERE system.main.encode(system.main.left(text, 1)) = system.main.encode(system.main.left(before, 1))
),
-- The rungs of a ladder. Numbers of characters that leave as many labels as the one before are kept only where masks name them.
"kanon rungs" AS MATERIALIZED (
    SELECT place, 0 AS rung, NULL::DECIMAL(36, 18) AS step FROM "kanon recodings"
    UNION ALL
    SELECT place, system.main.row_number() OVER (PARTITION BY place ORDER BY coarse ASC NULLS LAST), step
    FROM (
        SELECT steps.*, CASE kind WHEN ''DIGITS'' THEN system.main.subtract(0, step) ELSE step END AS coarse,
               system.main.lag(step) OVER (PARTITION BY place ORDER BY step DESC NULLS LAST) AS finer
        FROM (
            SELECT place, kind, partly, exact, longest, system.main.unnest(CASE
                       WHEN NOT every THEN steps
                       WHEN NOT partly THEN (SELECT coalesce(system.main.list(shared), system.main.list_value())
                                             FROM "kanon beginnings" AS beginnings WHERE beginnings.place = recodings.place)
                       WHEN longest <= 13 THEN system.main.range(1, longest)
                       ELSE system.main.error(system.main.concat(''kanon: the column '', system.main.list_extract(<names>,
                           system.main.add(place, 1)), '' has '', longest, '' levels, and at most 12 without Python (list ''
                           ''fewer: zip IN DIGITS (5, 3); or release with the Python package kanon-sql)''))
                   END::DECIMAL(36, 18)[]) AS step
            FROM "kanon recodings" AS recodings
        ) AS steps
        WHERE kind <> ''DIGITS'' OR step < longest
    ) AS steps
    WHERE kind <> ''DIGITS'' OR partly OR (finer IS NULL AND NOT exact) OR EXISTS (
        FROM "kanon beginnings" AS beginnings
        WHERE beginnings.place = steps.place AND shared >= step AND (finer IS NULL OR shared < finer))
),
-- What each value shows on each rung of its ladder, the value itself first; as bytes, whatever the collation.
"kanon labels" AS MATERIALIZED (
    SELECT place, rung, cell, size, system.main.encode(CASE
               WHEN text IS NULL OR number IS NULL THEN NULL  -- asked for of each value, so that it is an error if one has none
               WHEN rung = 0 THEN text
               WHEN kind = ''DIGITS'' THEN system.main.concat(system.main.left(text, step::BIGINT), system.main.repeat(
                   ''*'', system.main.greatest(0, system.main.subtract(system.main.length(text), step::BIGINT))))
               WHEN above THEN system.main.concat(top_label, ''+'')
               WHEN below THEN system.main.concat(''<='', bottom_label)
               WHEN step = 0 THEN text
               WHEN kind = ''PERIODS'' THEN CASE step
                   WHEN 1 THEN system.main.left(text, 10)
                   WHEN 2 THEN system.main.left(text, 7)
                   WHEN 3 THEN system.main.concat(system.main.left(text, 4), ''-Q'', system.main.divide(
                       system.main.add(system.main.substring(text, 6, 2)::BIGINT, 2), 3))
                   WHEN 4 THEN system.main.left(text, 4)
                   ELSE system.main.concat(system.main.left(text, 3), ''0s'') END
               WHEN high = '''' THEN system.main.concat(system.main.substring(low, 2), ''+'')
               WHEN low = '''' THEN system.main.concat(''<'', high)
               ELSE system.main.concat(low, '', '', high, '')'')
           END) AS label
    FROM (
        SELECT texts.*, system.main.list_extract(told, 1) AS top_label, system.main.list_extract(told, 2) AS bottom_label,
               number >= top AS above, number < bottom OR (number = bottom AND NOT more) AS below,
               CASE WHEN lowest <= bottom OR (lowest IS NULL AND bottom IS NOT NULL)
                   THEN system.main.concat(''('', system.main.list_extract(told, 2))
                   WHEN lowest IS NULL THEN ''''
                   ELSE system.main.concat(''['', system.main.list_extract(told, 3)) END AS low,
               CASE WHEN top < highest OR highest IS NULL THEN system.main.list_extract(told, 1)
                   ELSE system.main.list_extract(told, 4) END AS high
        FROM (
            SELECT texts.*, system.main.list_transform(system.main.list_value(top, bottom, lowest, highest), lambda bound:
                       system.main.concat(CASE WHEN bound < 0 THEN ''-'' ELSE '''' END, system.main.rtrim(
                       system.main.regexp_replace(system.main.concat(
                           system.main.substring(system.main.lpad(system.main.abs(bound)::VARCHAR, 40, ''0''), 1,
                               system.main.subtract(40, decimals)), ''.'',
                           system.main.substring(system.main.lpad(system.main.abs(bound)::VARCHAR, 40, ''0''),
                               system.main.subtract(41, decimals))), ''^0*([0-9]+\.[0-9]*?)0*$'', ''\1''), ''.''))) AS told
            FROM (
                SELECT texts.*, rung, step, kind, decimals, top, bottom, CASE kind
                           WHEN ''CUTS'' THEN system.main.list_aggregate(
                               system.main.list_filter(cuts, lambda cut: cut <= number), ''max'')
                           ELSE system.main.list_aggregate(system.main.list_transform(wider, lambda width: system.main.subtract(
                               number, system.main.mod(system.main.add(system.main.mod(number, width), width), width))), ''max'')
                       END AS lowest, CASE kind
                           WHEN ''CUTS'' THEN system.main.list_aggregate(
                               system.main.list_filter(cuts, lambda cut: cut > number), ''min'')
                           ELSE system.main.list_aggregate(system.main.list_transform(wider, lambda width: system.main.subtract(
                               system.main.add(number, width),
                               system.main.mod(system.main.add(system.main.mod(number, width), width), width))), ''min'')
                       END AS highest
                FROM "kanon values" AS texts
                JOIN (
                    SELECT recodings.*, rungs.rung, rungs.step,
                           system.main.list_filter(widths, lambda width, number: width > 0 AND number >= rungs.rung) AS wider
                    FROM "kanon recodings" AS recodings JOIN "kanon rungs" AS rungs ON rungs.place = recodings.place
                ) AS rungs ON rungs.place = texts.place
            ) AS texts
        ) AS texts
    ) AS texts
),
