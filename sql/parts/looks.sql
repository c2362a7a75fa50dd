-- looks(query; rows; more): of each column of a query, by its number i, what the texts of some rows look like; see `kanon_sql/recognition/forms.toml`.
-- More is what is asked beside of the texts of a column and of n, in how many of the rows each is.

WITH "kanon#looking" AS (
    FROM (VALUES
        @forms()
    ) AS forms(number, "after", reason, paragraph, kind, folded, look, share, further, further_share, mean_length, least, weights, crossed, modulus)
),
"kanon#texts" AS MATERIALIZED (
    SELECT i, folded, text, system.main.count(*) AS n
    FROM (
        SELECT i, system.main.unnest(system.main.list_value(false, true)) AS folded,
               system.main.unnest(system.main.list_value(look, system.main.translate(system.main.lower(
                   @plain(look)
                   ), system.main.concat('''''''', system.main.chr(8217)), ''''))) AS text
        FROM (
            SELECT i, system.main.trim(system.main.left(system.main.translate(look, system.main.chr(10), '' ''), @constant(LONGEST))) AS look
            FROM (
                SELECT system.main.unnest(texts) AS look, system.main.unnest(system.main.range(1, system.main.add(system.main.len(texts), 1))) AS i
                FROM (
                    SELECT system.main.list_value(*COLUMNS(*)) AS texts
                    FROM (SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (<query> USING SAMPLE reservoir(<rows> ROWS) REPEATABLE (7)) AS source) AS source
                ) AS texts
            ) AS texts
        ) AS texts
        WHERE look <> '''' AND look <> ''*''
    ) AS texts
    GROUP BY i, folded, text
),
"kanon#lengths" AS MATERIALIZED (
    SELECT i, system.main.sum(n)::BIGINT AS texts, system.main.count(*) AS different,
           system.main.sum(system.main.multiply(n, system.main.length(text))) AS letters<more>
    FROM "kanon#texts"
    WHERE NOT folded
    GROUP BY i
),
-- The forms of columns. A pattern costs more to read than to match: each is read once, for all texts as lines, and most only if
-- a column has enough texts.
"kanon#forms" AS MATERIALIZED (
    SELECT forms.*, counted.i, matched, texts
    FROM (
        SELECT number, texts.i, system.main.sum(n) AS matched
        FROM (
            SELECT forms.*, system.main.unnest(system.main.regexp_extract_all(lines, system.main.concat(''(?m)^('', look, '')$''))) AS text
            FROM "kanon#looking" AS forms
            JOIN (SELECT folded, system.main.string_agg(DISTINCT text, system.main.chr(10)) AS lines FROM "kanon#texts" GROUP BY folded) AS lines
                ON lines.folded = forms.folded
            WHERE number < 0 OR (SELECT system.main.max(texts) FROM "kanon#lengths") >= @constant(LEAST_TEXTS)
        ) AS matches
        JOIN "kanon#texts" AS texts ON texts.folded = matches.folded AND texts.text = matches.text
        WHERE weights IS NULL OR system.main.mod(system.main.list_aggregate(system.main.list_transform(
            system.main.list_transform(system.main.regexp_extract_all(matches.text, ''[0-9]''), lambda digit, place:
                system.main.multiply(digit::BIGINT, system.main.list_extract(weights, place))),
            lambda each: system.main.add(system.main.divide(each, crossed), system.main.mod(each, crossed))), ''sum''), modulus) = 0
        GROUP BY number, texts.i
    ) AS counted
    JOIN "kanon#looking" AS forms ON forms.number = counted.number
    JOIN "kanon#lengths" AS lengths ON lengths.i = counted.i
    WHERE matched >= system.main.multiply(share, texts) AND letters >= system.main.multiply(mean_length, texts)
        AND different >= system.main.multiply(least, texts) AND (weights IS NULL OR different >= @constant(LEAST_NUMBERS))
)
SELECT lengths.*, form, form_after_identifiers, form_after_names, coalesce(date_like, false) AS date_like,
       coalesce(numbers, false) AS numbers, coalesce(answers, false) AS answers
FROM "kanon#lengths" AS lengths
LEFT JOIN (
    SELECT forms.i, system.main.arg_min(form, number) FILTER (number >= 0 AND "after" = '''') AS form,
           system.main.arg_min(form, number) FILTER ("after" = ''identifiers'') AS form_after_identifiers,
           system.main.arg_min(form, number) FILTER ("after" = ''names'') AS form_after_names,
           system.main.bool_or(number = -3) AS date_like, system.main.bool_or(number = -2) AS numbers, system.main.bool_or(number = -1) AS answers
    FROM (
        SELECT i, number, "after", system.main.struct_pack(reason := reason, paragraph := paragraph, kind := kind) AS form
        FROM "kanon#forms"
        WHERE further = ''''
        UNION ALL
        SELECT forms.i, number, "after", system.main.struct_pack(reason := reason, paragraph := paragraph, kind := kind)
        FROM "kanon#forms" AS forms
        JOIN "kanon#texts" AS texts ON texts.i = forms.i AND texts.folded = forms.folded
        WHERE further <> ''''
        GROUP BY forms.i, number, "after", reason, paragraph, kind, further, further_share, forms.texts
        HAVING system.main.len(system.main.regexp_extract_all(
                   system.main.string_agg(system.main.repeat(system.main.concat(text, system.main.chr(10)), n), ''''),
                   system.main.concat(''(?m)^('', further, '')$''))) >= system.main.multiply(further_share, forms.texts)
    ) AS forms
    GROUP BY forms.i
) AS forms ON forms.i = lengths.i
