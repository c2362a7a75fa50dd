-- repeating(k): the refusal of a table in which columns repeat people, of the rows of "kanon#repeated"; NULL if there are none.

SELECT CASE WHEN found IS NOT NULL THEN system.main.concat(''kanon: '', CASE
               WHEN system.main.len(key) > 1 THEN system.main.concat(system.main.list_extract(key, 1), '' and '', system.main.list_extract(key, 2), '' repeat people together'')
               WHEN system.main.len(found) = 1 THEN system.main.concat(system.main.list_extract(found, 1), '' repeats people'')
               WHEN system.main.len(found) = 2 THEN system.main.concat(system.main.list_extract(found, 1), '' repeats people (and so does '', system.main.list_extract(found, 2), '')'')
               ELSE system.main.concat(system.main.list_extract(found, 1), '' repeats people (and so do '', system.main.list_aggregate(
                   system.main.list_slice(found, 2, -2), ''string_agg'', '', ''), '' and '', system.main.list_extract(found, -1), '')'')
           END, '': rows that share '', CASE WHEN system.main.len(key) > 1 THEN ''both values'' ELSE ''its value'' END, '' agree on '', CASE
               WHEN system.main.len(agreed) = 1 THEN system.main.list_extract(agreed, 1)
               WHEN system.main.len(agreed) <= 4 THEN system.main.concat(system.main.list_aggregate(
                   system.main.list_slice(agreed, 1, -2), ''string_agg'', '', ''), '' and '', system.main.list_extract(agreed, -1))
               ELSE system.main.concat(system.main.list_aggregate(system.main.list_slice(agreed, 1, 3), ''string_agg'', '', ''), '' and '',
                   system.main.subtract(system.main.len(agreed), 3), '' other columns'')
           END, ''; k >= <k> would count rows, and '', size, ''; nothing was released; hint: release one row per person from a view (SELECT DISTINCT ON ('',
           system.main.list_aggregate(key, ''string_agg'', '', ''), '') ...), '', CASE WHEN system.main.len(key) = 1 THEN system.main.concat(
               ''count people with per := '', literal, '' in the Python package, '') ELSE '''' END, ''or write per_row := true if each row is a person'')
       END AS repeating
FROM (
    SELECT system.main.list(spelled ORDER BY number ASC NULLS LAST) AS found, system.main.arg_min(spelled_key, number) AS key,
           system.main.arg_min(@text_literal(name), number) AS literal,
           system.main.arg_min(system.main.list_transform(shared, lambda name: @spelled_column(name)), number) AS agreed,
           system.main.arg_min(system.main.format(''{{0}}{{1:,}} people have {{0}}{{2:,}}'', CASE WHEN mask > 0 THEN ''about '' ELSE '''' END, people, "rows"), number) AS size
    FROM (
        SELECT *, system.main.list_extract(spelled_key, 1) AS spelled, system.main.list_extract(key, 1) AS name,
               system.main.row_number() OVER (ORDER BY born ASC NULLS LAST, identifying DESC NULLS LAST, "full" DESC NULLS LAST,
                   people ASC NULLS LAST, "rows" DESC NULLS LAST, place ASC NULLS LAST) AS number
        FROM (SELECT *, system.main.list_transform(key, lambda name: @spelled_column(name)) AS spelled_key FROM "kanon#repeated") AS repeated
    ) AS repeated
) AS repeated
