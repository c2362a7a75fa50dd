-- safe_harbor(tbl, zip_areas := NULL): what of the safe harbor of HIPAA, 45 CFR 164.514(b)(2), a table breaks.
--
-- A row for each column and each of the 18 identifiers of 164.514(b)(2)(i) that the column seems to show, by its name, its type,
-- the form of its texts, or the number of its values. No row means that nothing was recognized. It does not mean that the table
-- meets the rule: a name in a note, or a photo under a name that says nothing, is not found. The rule also asks that you know of
-- no way to identify a person, 164.514(b)(2)(ii). The result holds no cell value.
--   (A) names                            by the name of the column, and texts that are first and last names
--   (B) places smaller than a state      by the name; zip codes that show more than three digits, labels of them too; three digits of
--                                        an area with at most 20,000 people; street addresses
--   (C) dates finer than a year          dates and timestamps, texts with dates, months; ages above 89 unless they share the label
--                                        90+, also in columns of numbers that look like ages; years of birth that reveal such an age
--   (D) to (R)                           by the name, and texts with phone numbers, e-mail addresses, national numbers, account
--                                        numbers, vehicle numbers, device addresses, URLs, IP addresses; (R) also free text, and
--                                        columns with nearly as many values as rows
-- The default of zip_areas are the 17 areas of the guidance of the US Department of Health and Human Services (Guidance Regarding
-- Methods for De-identification of Protected Health Information, 26 November 2012), which counts people by the census of 2000:
-- 036, 059, 063, 102, 203, 556, 692, 790, 821, 823, 830, 831, 878, 879, 884, 890, 893. The rule asks for current data of the
-- Bureau of the Census: give a table of them.
--
-- Arguments:
--   tbl         VARCHAR   name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                         'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   zip_areas   VARCHAR   name of a table with the columns zip3 (VARCHAR, three digits) and people (BIGINT), one row per area.
--                         An area that is not in it counts as one of at most 20,000 people.
--
-- Result columns (no order is promised):
--   column_name   VARCHAR
--   paragraph     VARCHAR   (A) to (R), of 164.514(b)(2)(i)
--   identifier    VARCHAR   the identifier, in few words
--   cells         BIGINT    cells that break it; those that are NULL or '*' do not
--   reason        VARCHAR   why
--
-- Cost: two scans, which read each text about ten times.
CREATE OR REPLACE MACRO safe_harbor(tbl, zip_areas := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#columns" AS MATERIALIZED (
         SELECT names[i] AS column_name,
                @called(names[i]) AS called,
                types[i] AS type, counts[i][1] AS shown, counts[i] AS n, many[i] AS many, coalesce(texts, 0) AS texts, form, form_after_identifiers,
                form_after_names, ages_like, coalesce(date_like, false) AS date_like, numbers,
                system.main.regexp_matches(types[i], ''^(VARCHAR|ENUM|JSON)|^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$'') AS plain
         FROM (
             SELECT *, system.main.unnest(system.main.range(1, system.main.len(names) + 1)) AS i
             FROM (
                 @names(FROM {0} AS source)
             ), (
                 SELECT system.main.list_value(*COLUMNS(*)) AS types FROM (
                     SELECT system.main.left(system.main.typeof(system.main.list_value(COLUMNS(* EXCLUDE ("kanon#one")))), -2)
                     FROM (SELECT 1 AS "kanon#one") LEFT JOIN (FROM {0} AS source LIMIT 1) ON true
                 )
             ), (
                 -- the cells that are shown, and of them: those that look like (2) e-mail addresses ... (23) numbers from 90 to 130; the names of
                 -- columns are constants, so that other columns than those meant cost nothing
                 SELECT system.main.list_value(*COLUMNS(*)) AS counts FROM (
                     SELECT system.main.list_value(
                         system.main.count(COLUMNS(*)) - system.main.count(CASE WHEN system.main.regexp_matches(
                             system.main.typeof(COLUMNS(*)), ''^(VARCHAR|ENUM)'') AND CAST(COLUMNS(*) AS VARCHAR) = ''*'' THEN 1 END),
                         @texts_like(@; @hold(e-mail address))
                         @texts_like(-; @hold(social security number))
                         @texts_like(; @hold(telephone number))
                         @texts_like(.; @hold(web address))
                         @texts_like(; @hold(IP address))
                         @texts_like(; @hold(date))
                         @texts_like(; ^ *[0-9]{{5}}(-[0-9]{{4}})? *$)
                         @texts_like(-; @hold(UUID))
                         @texts_like(; @hold(device address))
                         @texts_like(; @hold(vehicle number))
                         @texts_like(; @hold(IBAN, card number))
                         system.main.count(CASE WHEN
                             @zip_named()
                             AND system.main.regexp_matches(
                                 @zip_digits()
                                 , ''[0-9]{{4}}'') THEN 1 END),
                         system.main.count(CASE WHEN
                             @zip_named()
                             AND NOT system.main.regexp_matches(
                                 @zip_digits()
                                 , ''[0-9]{{4}}'')
                             AND CASE WHEN {2} THEN system.main.list_has_any({1},
                                 @zip_areas()
                                 ) ELSE NOT system.main.list_has_all({1},
                                 @zip_areas()
                                 ) END
                             THEN 1 END),
                         system.main.count(CASE WHEN
                             @names_say(@named(age))
                             AND
                             @highest_age()
                             >= 90 AND NOT (
                                 @highest_age()
                                 = 90 AND system.main.regexp_full_match(CAST(COLUMNS(*) AS VARCHAR),
                                     ''[\[(].*, 90(\.0*)?\)|< ?90(\.0*)?|90(\.0*)? ?(\+|(and|or) (older|over|above|more|up))|(>=|\x{{2265}}) ?90(\.0*)?'')) THEN 1 END),
                         system.main.count(CASE WHEN
                             @names_say(@named(date of birth, year of birth))
                             AND system.main.regexp_full_match(CAST(COLUMNS(*) AS VARCHAR), ''[\[(]?(1[89][0-9]{{2}}|20[0-9]{{2}})(s|, [0-9]{{4}}[\])])?'')
                             AND TRY_CAST(system.main.regexp_extract(CAST(COLUMNS(*) AS VARCHAR), ''[0-9]{{4}}'') AS INTEGER)
                                 <= system.main.year(system.main.today()) - 90 THEN 1 END),
                         @texts_like(-; ^[0-9]{{4}}-([01][0-9]|Q[1-4])$)
                         @whole_like(@date(years))
                         @whole_like(@date(compact))
                         @whole_like(1?[2-9][0-9]{{2}}[2-9][0-9]{{6}})
                         @texts_like(; @hold(national number))
                         @texts_like(; @hold(street address))
                         @whole_like((9[0-9]|1[0-2][0-9]|130)(\.0*)?)
                         0) FROM {0} AS source
                 )
             ), (
                 SELECT system.main.list_value(*COLUMNS(*)) AS many FROM (
                     SELECT system.main.approx_count_distinct(CASE WHEN system.main.regexp_full_match(
                                    system.main.typeof(COLUMNS(*)), ''U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|VARCHAR|UUID|BLOB'')
                                THEN system.main.hash(COLUMNS(*)) END) FROM {0} AS source
                 )
             )
         )
         LEFT JOIN (
             @looks(FROM {0} AS source; 1024; @ages_like())
         ) USING (i)
     ), "kanon#named" AS (
         SELECT *, system.main.regexp_full_match(called, ''@not_ages()'') AS called_otherwise
         FROM "kanon#columns"
         LEFT JOIN (
             @said(SELECT called FROM "kanon#columns")
         ) USING (called)
     ), "kanon#broken" AS MATERIALIZED (
         SELECT column_name, broken.paragraph AS paragraph, broken.cells AS cells, broken.reason AS reason, broken."order" AS "order"
         FROM (
             SELECT *, system.main.unnest([
                 @by_form(B; ''zip codes show more than three digits''; n[13])
                 @by_form(B; ''three digits of a zip code stand for at most 20,000 people''; n[14])
                 @by_form(B; ''texts look like zip codes''; CASE WHEN n[13] = 0 AND n[8] >= 0.8 * shown THEN n[8] END)
                 @by_form(B; ''texts hold street addresses''; n[22])
                 @by_form(C; ''dates are finer than a year''; CASE WHEN system.main.regexp_matches(type, ''^(DATE|TIMESTAMP)'') THEN shown END)
                 @by_form(C; ''texts hold dates''; n[7] + n[17])
                 @by_form(C; ''values look like dates''; CASE WHEN n[19] >= 0.8 * shown THEN n[19] END)
                 @by_form(C; ''ages above 89 do not share the label 90+''; n[15])
                 @by_form(C; ''numbers look like ages above 89''; CASE WHEN ages_like AND NOT called_otherwise AND rule IS NULL THEN n[23] END)
                 @by_form(C; ''years of birth reveal ages above 89''; n[16])
                 @by_form(D; ''texts hold phone numbers''; n[4])
                 @by_form(D; ''values look like phone numbers''; CASE WHEN n[20] >= 0.8 * shown THEN n[20] END)
                 @by_form(F; ''texts hold e-mail addresses''; n[2])
                 @by_form(G; ''texts hold social security numbers''; n[3])
                 @by_form(G; ''texts hold national numbers''; n[21])
                 @by_form(J; ''texts hold account numbers''; n[12])
                 @by_form(L; ''texts hold vehicle identification numbers''; n[11])
                 @by_form(M; ''texts hold addresses of devices''; n[10])
                 @by_form(N; ''texts hold URLs''; n[5])
                 @by_form(O; ''texts hold IP addresses''; n[6])
                 @by_form(R; ''texts hold UUIDs''; CASE WHEN type = ''UUID'' THEN shown ELSE n[9] END)
                 @by_looks(form)
                 @by_looks(CASE WHEN plain AND NOT date_like THEN form_after_identifiers END)
                 @by_looks(CASE WHEN plain AND NOT date_like AND rule IS NULL THEN form_after_names END)
                 {{''paragraph'': rule.paragraph, ''cells'': CASE WHEN rule.paragraph = ''C'' THEN shown - n[18]
                     WHEN rule.paragraph <> '''' AND NOT (rule.textual AND coalesce(numbers, false)) THEN shown END,
                     ''reason'': ''by its name'', ''order'': 3}}]) AS broken
             FROM "kanon#named"
         )
         WHERE broken.cells > 0 AND broken.paragraph <> ''''
     )
     SELECT column_name, ''('' || paragraph || '')'' AS paragraph, system.main.map_extract_value(MAP {{
                ''A'': ''names'', ''B'': ''places smaller than a state'', ''C'': ''dates finer than a year, ages above 89'', ''D'': ''phone numbers'',
                ''E'': ''fax numbers'', ''F'': ''e-mail addresses'', ''G'': ''social security numbers'', ''H'': ''medical record numbers'',
                ''I'': ''health plan numbers'', ''J'': ''account numbers'', ''K'': ''certificate and license numbers'',
                ''L'': ''vehicle identifiers'', ''M'': ''device identifiers'', ''N'': ''URLs'', ''O'': ''IP addresses'',
                ''P'': ''biometric identifiers'', ''Q'': ''photos of faces'', ''R'': ''other unique numbers and codes''}}, paragraph) AS identifier,
            cells::BIGINT AS cells, reason
     FROM (
         -- a column breaks a paragraph by its form only if no single cell does, and by its name only if nothing else does
         SELECT column_name, paragraph, cells, reason FROM "kanon#broken"
         QUALIFY "order" = system.main.min("order") OVER (PARTITION BY column_name, paragraph)
         UNION ALL
         SELECT column_name, ''R'', shown, ''nearly as many values as rows'' FROM "kanon#columns"
         WHERE shown >= 20 AND many * 10 >= shown * 9 AND column_name NOT IN (SELECT column_name FROM "kanon#broken")
     )',
    @table(tbl),
    CASE WHEN zip_areas IS NULL
         THEN '[''036'', ''059'', ''063'', ''102'', ''203'', ''556'', ''692'', ''790'', ''821'', ''823'', ''830'', ''831'', ''878'', ''879'', ''884'', ''890'', ''893'']'
         ELSE system.main.format('coalesce((SELECT system.main.list(zip3::VARCHAR) FROM {} WHERE people > 20000), [])',
             @table(zip_areas))
    END,
    CASE WHEN zip_areas IS NULL THEN 'true' ELSE 'false' END,
    @built_in()
));
