-- recognized(source): the CTEs before a query of "kanon#recognized": of each column of source its place from 1, its name, and what it seems to be by
-- its name and the texts of some rows: role, kind, reason, and whether it is personal; NULL if neither says anything. What the name alone says is
-- named. And how many texts there are, and how many are different. See `kanon_sql/recognition/texts.py`.

"kanon#names" AS MATERIALIZED (
    SELECT place, name, @called(name) AS called,
           system.main.regexp_matches(type, ''^(VARCHAR|ENUM|JSON)|^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$'') AS plain
    FROM (
        SELECT system.main.unnest(system.main.range(1, system.main.add(system.main.len(columns), 1))) AS place,
               system.main.list_extract(system.main.unnest(columns), 1) AS name, system.main.list_extract(system.main.unnest(columns), 2) AS type
        FROM (
            SELECT system.main.list_value(*COLUMNS(*)) AS columns
            FROM (
                SELECT system.main.list_value(system.main.alias(COLUMNS(* EXCLUDE ("kanon#one"))),
                           system.main.left(system.main.typeof(system.main.list_value(COLUMNS(* EXCLUDE ("kanon#one")))), -2))
                FROM (SELECT 1 AS "kanon#one") AS one LEFT JOIN (FROM <source> LIMIT 1) AS source ON true
            ) AS columns
        ) AS columns
    ) AS names
),
"kanon#looks" AS MATERIALIZED (
    @looks(FROM <source>; 200; )
),
"kanon#recognized" AS MATERIALIZED (
    SELECT place, name, texts, different, found.role AS role, found.kind AS kind, found.reason AS reason, coalesce(found.personal, false) AS personal,
           named
    FROM (
        SELECT place, name, rule.kind AS named, coalesce(texts, 0) AS texts, coalesce(different, 0) AS different, CASE
                   WHEN enough AND form IS NOT NULL THEN system.main.row(''identifier'', form.kind, form.reason, false)
                   WHEN fits AND rule.role = ''identifier'' THEN system.main.row(rule.role, rule.kind, ''by its name'', rule.personal)
                   WHEN enough AND plain AND NOT date_like AND form_after_identifiers IS NOT NULL
                   THEN system.main.row(''identifier'', form_after_identifiers.kind, form_after_identifiers.reason, false)
                   WHEN fits AND rule.role <> '''' THEN system.main.row(rule.role, rule.kind, ''by its name'', rule.personal)
                   WHEN date_like THEN system.main.row(''quasi-identifier'', ''date'', ''looks like dates'', false)
                   WHEN enough AND plain AND form_after_names IS NOT NULL
                   THEN system.main.row(''identifier'', form_after_names.kind, form_after_names.reason, form_after_names.kind = ''street address'')
               END::STRUCT(role VARCHAR, kind VARCHAR, reason VARCHAR, personal BOOLEAN) AS found
        FROM (
            SELECT *, coalesce(texts >= @constant(LEAST_TEXTS), false) AS enough,
                   rule IS NOT NULL AND (rule.role <> ''identifier'' OR answers IS NOT TRUE) AND (NOT rule.textual OR numbers IS NOT TRUE)
                       AND (NOT rule."numeric" OR numbers IS NOT FALSE) AS fits
            FROM "kanon#names" AS names
            LEFT JOIN (
                @said(SELECT called FROM "kanon#names")
            ) AS said ON said.called = names.called
            LEFT JOIN "kanon#looks" AS looks ON i = place
        ) AS names
    ) AS names
)
