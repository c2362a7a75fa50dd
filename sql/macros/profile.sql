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
         -- what the texts of some rows look like
         SELECT i, system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[^@\s]+@[^@\s]+\.[^@\s]+'') THEN 1 ELSE 0 END) >= 0.8 AS email,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''(?i)[0-9a-f]{{8}}-?([0-9a-f]{{4}}-?){{3}}[0-9a-f]{{12}}'') THEN 1 ELSE 0 END) >= 0.8 AS uuid,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[A-Z]{{2}}[0-9]{{2}} ?([0-9A-Z]{{4}} ?){{2,7}}[0-9A-Z]{{0,4}}'') THEN 1 ELSE 0 END) >= 0.8 AS iban,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[0-9]{{3}}-[0-9]{{2}}-[0-9]{{4}}'') THEN 1 ELSE 0 END) >= 0.8 AS ssn,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[+(]?[0-9][0-9 ()./-]{{6,18}}[0-9]'')
                                      AND system.main.regexp_matches(look, ''[ ()+/-]'') THEN 1 ELSE 0 END) >= 0.8 AS phone,
                system.main.avg(CASE WHEN system.main.regexp_full_match(look, ''[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ T].*)?|[0-9]{{1,2}}[./][0-9]{{1,2}}[./][0-9]{{4}}'') THEN 1 ELSE 0 END) >= 0.8 AS iso_date
         FROM (
             SELECT system.main.unnest(texts) AS look, system.main.unnest(system.main.range(1, system.main.len(texts) + 1)) AS i
             FROM (
                 SELECT system.main.list_value(*COLUMNS(*)) AS texts
                 FROM (SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (FROM {0} AS source USING SAMPLE reservoir(4096 ROWS) REPEATABLE (7)))
             )
         )
         WHERE look IS NOT NULL
         GROUP BY i
     )
     SELECT column_name, data_type, "distinct", nulls, uniques, "rows", role[1] AS role, role[2] AS reason
     FROM (
         SELECT *, CASE
             WHEN shown >= 20 AND email THEN [''identifier'', ''looks like e-mail'']
             WHEN shown >= 20 AND uuid THEN [''identifier'', ''looks like UUIDs'']
             WHEN shown >= 20 AND textual AND iban THEN [''identifier'', ''looks like IBANs'']
             WHEN shown >= 20 AND ssn THEN [''identifier'', ''looks like SSNs'']
             WHEN system.main.regexp_full_match(called, ''(.*_)?(e_?mail|phone|mobile|fax|ssn|social_security|iban|passport|licen[cs]e|account|login|user_?name|ip|uuid|guid|street|address|((first|last|full|middle|maiden|sur|given|family|patient|customer|person)_?name))(_.*)?|name|surname'')
             THEN [''identifier'', ''by its name'']
             WHEN dated AND system.main.regexp_full_match(called, ''(.*birth.*|dob)'') THEN [''quasi-identifier'', ''date of birth'']
             WHEN system.main.regexp_full_match(called, ''(.*_)?(zip(_?code)?|post_?code|postal(_?code)?|plz)(_.*)?'') THEN [''quasi-identifier'', ''postal code'']
             WHEN numeric AND system.main.regexp_full_match(called, ''(.*_)?(lat|latitude|lon|lng|long|longitude)(_.*)?'') THEN [''quasi-identifier'', ''coordinate'']
             WHEN shown >= 20 AND textual AND phone AND NOT dated THEN [''identifier'', ''looks like phones'']
             WHEN system.main.regexp_full_match(called, ''(.*_)?(disease|diagnos[a-z]*|icd[0-9]*|drug|medication|hiv|salary|income|wage|score|grade|crime|result|illness|symptom|treatment)s?(_.*)?'')
             THEN [''sensitive'', ''by its name'']
             WHEN dated THEN [''quasi-identifier'', ''date'']
             WHEN system.main.regexp_full_match(called, ''(.*_)?(age|sex|gender|race|ethnic[a-z]*|nationality|country|region|state|province|county|city|town|marital|education|occupation|job|profession|religion|language|height|weight|year|work[a-z]*|employment|relationship)(_.*)?'')
             THEN [''quasi-identifier'', ''by its name'']
             WHEN numbered AND shown >= 20 AND uniques * 20 >= shown * 19 THEN [''identifier'', ''nearly all unique'']
             WHEN uniques * 100 >= "rows" AND "rows" > 0 THEN [''quasi-identifier'', ''singles out rows'']
             ELSE [''kept'', ''nothing recognized'']
         END AS role
         FROM (
             SELECT names[i] AS column_name, system.main.regexp_replace(types[i], ''ENUM\(.*\)'', ''ENUM'') AS data_type, "rows",
                    "rows" - filled[i] AS nulls, filled[i] AS shown,
                    (CASE WHEN parts > 1 THEN system.main.least(approximate[i] - CASE WHEN filled[i] < "rows" THEN 1 ELSE 0 END, filled[i])
                          ELSE coalesce(met, 0) - CASE WHEN filled[i] < "rows" THEN 1 ELSE 0 END END)::BIGINT AS "distinct",
                    system.main.least(coalesce(alone, 0) * parts, "rows")::BIGINT AS uniques,
                    system.main.regexp_replace(system.main.lower(names[i]), ''[^a-z0-9]+'', ''_'', ''g'') AS called, email, uuid, iban, ssn, phone,
                    types[i] = ''VARCHAR'' AS textual,
                    system.main.regexp_full_match(types[i], ''U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*'') AS numeric,
                    system.main.regexp_full_match(types[i], ''U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|VARCHAR|UUID|BLOB'') AS numbered,
                    system.main.regexp_matches(types[i], ''^(DATE|TIMESTAMP)'') OR coalesce(iso_date, false) AS dated
             FROM (SELECT *, system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i FROM "kanon#table")
             LEFT JOIN "kanon#counted" USING (i) LEFT JOIN "kanon#looks" USING (i)
         )
     )',
    @table(tbl),
    @built_in()
));
