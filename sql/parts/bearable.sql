-- bearable(told): true, or an error that says what columns without a role reveal beyond the limits; told are the places of columns (0 for all
-- together) with words.

SELECT CASE WHEN system.main.count(*) = 0 THEN true ELSE system.main.error(system.main.concat(''kanon: '', CASE
           WHEN system.main.max(place) > 0 AND system.main.count(*) = 1 THEN ''a column has no role and identifies''
           ELSE system.main.concat(CASE WHEN system.main.max(place) > 0 THEN system.main.count(*) ELSE system.main.min(system.main.len(names)) END,
               '' columns have no role and identify'') END, '' people: '',
           system.main.string_agg(CASE
               WHEN place > 0 THEN system.main.concat(@spelled_column(system.main.list_extract(names, place))
                   , '' '', words)
               ELSE system.main.concat(system.main.list_aggregate(system.main.list_slice(spelled, 1, -2), ''string_agg'', '', ''),
                   '' and '', system.main.list_extract(spelled, -1), '' '', words)
           END, ''; '' ORDER BY place ASC NULLS LAST), ''; nothing was released; hint: drop := ['', CASE
           WHEN system.main.max(place) = 0 THEN system.main.concat(system.main.list_aggregate(system.main.list_transform(system.main.min(names),
               lambda name: @text_literal(name)), ''string_agg'', '', ''), ''] or only some of them, add some of them to qi, or name all of them in keep'')
           ELSE system.main.concat(system.main.string_agg(@text_literal(system.main.list_extract(names, place))
               , '', '' ORDER BY place ASC NULLS LAST), CASE WHEN system.main.count(*) = 1 THEN ''], add it to qi, or name it in keep''
               ELSE ''], add them to qi, or name them in keep'' END)
       END, '' to release '', CASE WHEN system.main.max(place) > 0 AND system.main.count(*) = 1 THEN ''it'' ELSE ''them'' END, '' on purpose'')) END AS bearable
FROM (
    SELECT place, words, names, system.main.list_transform(names, lambda name: @spelled_column(name)) AS spelled
    FROM (SELECT place, words, system.main.list_slice(names, 1, -2) AS names FROM <told> AS told, "kanon names") AS told
    QUALIFY place > 0 OR NOT system.main.bool_or(place > 0) OVER ()
) AS told
