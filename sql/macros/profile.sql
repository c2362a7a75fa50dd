-- profile(tbl): what each column of a table contains, and the role it seems to have in a release.
--
-- A role is a guess from the name of the column, its type, the form of its texts, and the number of rows it singles out; the
-- reason says which. It is a start for a policy, not a proof that a column reveals nothing. The result holds no cell value.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--
-- Result columns (one row per column; no order is promised):
--   column_name   VARCHAR
--   data_type     VARCHAR   without the labels of an ENUM
--   distinct      BIGINT    values, NULL aside; approximate where the table has more than 4 million cells
--   nulls         BIGINT    rows that are NULL
--   uniques       BIGINT    rows with a value that no other row has; then estimated from one part of the values
--   rows          BIGINT    number of rows
--   role          VARCHAR   identifier, quasi-identifier, sensitive or kept
--   reason        VARCHAR   why
--
-- Cost: six scans, and a GROUP BY over at most 4 million cells.
CREATE OR REPLACE MACRO profile(tbl) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#hashed" AS MATERIALIZED (
         -- DuckDB''s own hash is one for an empty list, a list of NULL, and NULL, for 0 and -1 as HUGEINT, and under some collations
         SELECT system.main.list_value(*COLUMNS(*)) AS v FROM (
             @to_hash(FROM {0} AS source; ; COLUMNS(*))
         )
     ), "kanon#table" AS MATERIALIZED (
         SELECT *, (1 + "rows" * system.main.len(names) // 4000000)::UBIGINT AS parts
         FROM (
             @names(FROM {0} AS source)
         ), (
             SELECT system.main.list_value(*COLUMNS(*)) AS types FROM (
                 SELECT system.main.left(system.main.typeof(system.main.list_value(COLUMNS(* EXCLUDE ("kanon#one")))), -2)
                 FROM (SELECT 1 AS "kanon#one") LEFT JOIN (FROM {0} AS source LIMIT 1) ON true
             )
         ), (
             SELECT system.main.list_value(*COLUMNS(*)) AS filled FROM (SELECT system.main.count(COLUMNS(*)) FROM {0} AS source)
         ), (
             SELECT system.main.list(many ORDER BY i ASC NULLS LAST) AS approximate
             FROM (
                 SELECT i, system.main.approx_count_distinct(v) AS many
                 FROM (SELECT system.main.unnest(v) AS v, system.main.unnest(system.main.range(1, system.main.len(v) + 1)) AS i FROM "kanon#hashed")
                 GROUP BY i
             )
         ), (SELECT system.main.count(*) AS "rows" FROM "kanon#hashed")
     ), "kanon#counted" AS (
         -- the values of a column, and those that one row alone has: of a table of many cells by one part of the values
         SELECT i, system.main.count(*) AS met, system.main.count(CASE WHEN n = 1 THEN 1 END) AS alone
         FROM (
             SELECT i, v, system.main.count(*) AS n
             FROM (
                 SELECT parts, system.main.unnest(v) AS v, system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i
                 FROM "kanon#hashed", "kanon#table"
             )
             WHERE v % parts = 0
             GROUP BY i, v
         )
         GROUP BY i
     ), "kanon#looks" AS (
         @looks(FROM {0} AS source; 1024; )
     )
     SELECT column_name, data_type, "distinct", nulls, uniques, "rows", role[1] AS role, role[2] AS reason
     FROM (
         SELECT *, CASE
             WHEN texts >= @constant(LEAST_TEXTS) AND form IS NOT NULL THEN [''identifier'', form.reason]
             WHEN fits AND rule.role = ''identifier'' THEN [''identifier'', ''by its name'']
             WHEN texts >= @constant(LEAST_TEXTS) AND plain AND NOT dated AND form_after_identifiers IS NOT NULL
             THEN [''identifier'', form_after_identifiers.reason]
             WHEN fits AND rule.kind IN (''date of birth'', ''postal code'', ''coordinate'') THEN [rule.role, rule.kind]
             WHEN fits AND rule.role <> '''' THEN [rule.role, ''by its name'']
             WHEN dated THEN [''quasi-identifier'', ''date'']
             WHEN texts >= @constant(LEAST_TEXTS) AND plain AND form_after_names IS NOT NULL THEN [''identifier'', form_after_names.reason]
             WHEN numbered AND shown >= 20 AND uniques * 20 >= shown * 19 THEN [''identifier'', ''nearly all unique'']
             WHEN uniques * 100 >= "rows" AND "rows" > 0 THEN [''quasi-identifier'', ''singles out rows'']
             ELSE [''kept'', ''nothing recognized'']
         END AS role
         FROM (
             SELECT *, rule IS NOT NULL AND (rule.role <> ''identifier'' OR answers IS NOT TRUE)
                       AND (NOT rule.textual OR numbers IS NOT TRUE) AND (NOT rule."numeric" OR numbers IS NOT FALSE) AS fits
             FROM (
                 FROM (
                     SELECT names[i] AS column_name, system.main.regexp_replace(types[i], ''ENUM\(.*\)'', ''ENUM'') AS data_type, "rows",
                            "rows" - filled[i] AS nulls, filled[i] AS shown,
                            (CASE WHEN parts > 1 THEN system.main.least(approximate[i] - CASE WHEN filled[i] < "rows" THEN 1 ELSE 0 END, filled[i])
                                  ELSE coalesce(met, 0) - CASE WHEN filled[i] < "rows" THEN 1 ELSE 0 END END)::BIGINT AS "distinct",
                            system.main.least(coalesce(alone, 0) * parts, "rows")::BIGINT AS uniques,
                            @called(names[i]) AS called, texts, form, form_after_identifiers, form_after_names, answers, numbers,
                            system.main.regexp_matches(types[i], ''^(VARCHAR|ENUM|JSON)|^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$'') AS plain,
                            system.main.regexp_full_match(types[i], ''U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|VARCHAR|UUID|BLOB'') AS numbered,
                            system.main.regexp_matches(types[i], ''^(DATE|TIMESTAMP)'') OR coalesce(date_like, false) AS dated
                     FROM (SELECT *, system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#table")
                     LEFT JOIN "kanon#counted" USING (i) LEFT JOIN "kanon#looks" USING (i)
                 )
                 LEFT JOIN (
                     @said(SELECT @called(system.main.unnest(names)) AS called FROM "kanon#table")
                 ) USING (called)
             )
         )
     )',
    @table(tbl),
    @built_in()
));
