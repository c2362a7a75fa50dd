-- people_refused(qi; k): the CTEs of people_repeated for "kanon source", and "kanon#settled", an error if a column repeats people.

@people_repeated("kanon source" AS source; <qi>),
"kanon#settled" AS MATERIALIZED (
    SELECT CASE WHEN found IS NULL THEN true ELSE system.main.error(system.main.concat(''kanon: '', system.main.list_extract(found, 1),
               '' repeats people'', CASE system.main.len(found)
                   WHEN 1 THEN ''''
                   WHEN 2 THEN system.main.concat('' (and so does '', system.main.list_extract(found, 2), '')'')
                   ELSE system.main.concat('' (and so do '', system.main.list_aggregate(system.main.list_slice(found, 2, -2), ''string_agg'', '', ''),
                       '' and '', system.main.list_extract(found, -1), '')'') END,
               '': rows that share its value agree on '', agreed, ''; k >= <k> would count rows, and '', system.main.format(''{{:,}}'', people),
               '' people have '', system.main.format(''{{:,}}'', "rows"),
               ''; nothing was released; hint: release one row for each person, such as from a view, count people with the Python package kanon-sql (per := '',
               system.main.concat('''''''', system.main.replace(name, '''''''', ''''''''''''), ''''''''), ''), or write per_row := true if each row is a person'')) END AS settled
    FROM (
        SELECT system.main.list(spelled ORDER BY number ASC NULLS LAST) AS found, system.main.arg_min(name, number) AS name,
               system.main.arg_min(agreed, number) AS agreed, system.main.arg_min(people, number) AS people,
               system.main.arg_min("rows", number) AS "rows"
        FROM (
            SELECT name, people, "rows", @spelled_column(name) AS spelled,
                   system.main.row_number() OVER (ORDER BY "rows" DESC NULLS LAST, people DESC NULLS LAST, place ASC NULLS LAST) AS number,
                   CASE
                       WHEN system.main.len(words) = 1 THEN system.main.list_extract(words, 1)
                       WHEN system.main.len(words) <= 4 THEN system.main.concat(system.main.list_aggregate(
                           system.main.list_slice(words, 1, -2), ''string_agg'', '', ''), '' and '', system.main.list_extract(words, -1))
                       ELSE system.main.concat(system.main.list_aggregate(system.main.list_slice(words, 1, 3), ''string_agg'', '', ''), '' and '',
                           system.main.subtract(system.main.len(words), 3), '' other columns'')
                   END AS agreed
            FROM (
                SELECT *, system.main.list_transform(shared, lambda name: @spelled_column(name)) AS words FROM "kanon#repeated"
            ) AS repeated
        ) AS repeated
    ) AS repeated
)
