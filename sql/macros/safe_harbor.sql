-- safe_harbor(tbl, zip_areas := NULL): what of the safe harbor of HIPAA, 45 CFR 164.514(b)(2), a table breaks.
--
-- A row for each column and each of the 18 identifiers of 164.514(b)(2)(i) that the column seems to show, by its name, its type,
-- the form of its texts, or the number of its values. No row means that nothing was recognized. It does not mean that the table
-- meets the rule: a name in a note, or a photo under a name that says nothing, is not found. The rule also asks that you know of
-- no way to identify a person, 164.514(b)(2)(ii). The result holds no cell value.
--   (A) names                            by the name of the column
--   (B) places smaller than a state      by the name; zip codes that show more than three digits; three digits of an area with at
--                                        most 20,000 people
--   (C) dates finer than a year          dates and timestamps, texts with dates, months; ages above 89 unless they share the label
--                                        90+; years of birth that reveal such an age today
--   (D) to (R)                           by the name, and texts with phone numbers, e-mail addresses, social security numbers,
--                                        account numbers, vehicle numbers, device addresses, URLs, IP addresses; (R) also columns
--                                        with nearly as many values as rows
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
                types[i] AS type, counts[i][1] AS shown, counts[i] AS n, many[i] AS many
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
                 -- the cells that are shown, and of them: those that look like (2) e-mail addresses ... (17) months; the names of
                 -- columns are constants, so that other columns than those meant cost nothing
                 SELECT system.main.list_value(*COLUMNS(*)) AS counts FROM (
                     SELECT system.main.list_value(
                         system.main.count(COLUMNS(*)) - system.main.count(CASE WHEN system.main.regexp_matches(
                             system.main.typeof(COLUMNS(*)), ''^(VARCHAR|ENUM)'') AND CAST(COLUMNS(*) AS VARCHAR) = ''*'' THEN 1 END),
                         @texts_like(@; [^@\s]@[^@\s]+\.[A-Za-z])
                         @texts_like(-; \b[0-9]{{3}}-[0-9]{{2}}-[0-9]{{4}}\b)
                         @texts_like(; (^|[^0-9-])(\+?1[ .-]?)?(\([2-9][0-9]{{2}}\) ?|[2-9][0-9]{{2}}[ .-])[0-9]{{3}}[ .-][0-9]{{4}}($|[^0-9-])|^ *\+[0-9][0-9 ()./-]{{6,18}}[0-9] *$)
                         @texts_like(.; (?i)\b(https?|ftp)://|\bwww\.[a-z0-9])
                         @texts_like(.; (^|[^0-9.])(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\.(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){{3}}($|[^0-9.]))
                         @texts_like(; \b[0-9]{{4}}-[01]?[0-9]-[0-3]?[0-9]\b|\b[0-9]{{1,2}}([/.])[0-9]{{1,2}}[/.]([0-9]{{4}}|[0-9]{{2}})\b|(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? [0-9]{{1,2}},? [0-9]{{4}}\b)
                         @texts_like(; ^ *[0-9]{{5}}(-[0-9]{{4}})? *$)
                         @texts_like(-; (?i)^[0-9a-f]{{8}}-([0-9a-f]{{4}}-){{3}}[0-9a-f]{{12}}$)
                         @texts_like(:; (?i)\b[0-9a-f]{{2}}(:[0-9a-f]{{2}}){{5}}\b)
                         @texts_like(; ^[A-HJ-NPR-Z0-9]{{8}}[0-9X][A-HJ-NPR-Z0-9]{{2}}[0-9]{{6}}$)
                         @texts_like(; ^[A-Z]{{2}}[0-9]{{2}} ?([0-9A-Z]{{4}} ?){{2,7}}[0-9A-Z]{{0,4}}$|\b[0-9]{{4}}[ -][0-9]{{4}}[ -][0-9]{{4}}[ -][0-9]{{4}}\b)
                         system.main.count(CASE WHEN
                             @zip_named()
                             AND system.main.regexp_matches(
                                 @zip_digits()
                                 , ''^ *[0-9]{{4}}'') THEN 1 END),
                         system.main.count(CASE WHEN
                             @zip_named()
                             AND system.main.regexp_matches(
                                 @zip_digits()
                                 , ''^ *[0-9]{{3}}([^0-9]|$)'')
                             AND system.main.list_contains({1}, system.main.left(system.main.ltrim(
                                 @zip_digits()
                                 ), 3)) = {2}
                             AND NOT system.main.starts_with(system.main.ltrim(CAST(COLUMNS(*) AS VARCHAR)), ''000'') THEN 1 END),
                         system.main.count(CASE WHEN
                             @names_say((.*_)?age(s|d)?(_.*)?)
                             AND
                             @highest_age()
                             >= 90 AND NOT (
                                 @highest_age()
                                 = 90 AND system.main.regexp_full_match(CAST(COLUMNS(*) AS VARCHAR),
                                     ''[\[(].*, 90(\.0*)?\)|< ?90(\.0*)?|90(\.0*)? ?(\+|(and|or) (older|over|above|more|up))|(>=|\x{{2265}}) ?90(\.0*)?'')) THEN 1 END),
                         system.main.count(CASE WHEN
                             @names_say((.*_)?(birth|born|yob)(_.*)?|birthyear)
                             AND system.main.regexp_full_match(CAST(COLUMNS(*) AS VARCHAR), ''[\[(]?(1[89][0-9]{{2}}|20[0-9]{{2}})(s|, [0-9]{{4}}[\])])?'')
                             AND TRY_CAST(system.main.regexp_extract(CAST(COLUMNS(*) AS VARCHAR), ''[0-9]{{4}}'') AS INTEGER)
                                 <= system.main.year(system.main.today()) - 90 THEN 1 END),
                         @texts_like(-; ^[0-9]{{4}}-([01][0-9]|Q[1-4])$)
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
     ), "kanon#broken" AS MATERIALIZED (
         SELECT column_name, rule.paragraph AS paragraph, rule.cells AS cells, rule.reason AS reason
         FROM (
             SELECT *, system.main.unnest([
                 @by_name(A; ((.*_)?(first|last|full|middle|maiden|sur|given|family|nick|patient|customer|person|mother|father|spouse|guardian|employer|physician|doctor|contact)_?name(_.*)?|name|names|surname|initials))
                 @by_name(B; (.*_)?(street|address|city|town|county|precinct|district|borough|parish|municipality|neighbou?rhood|census_tract|tract|geo_?code|geo_?hash|lat|latitude|lon|lng|longitude|coordinates)(_.*)?)
                 @by_form(B; ''zip codes show more than three digits''; n[13])
                 @by_form(B; ''three digits of a zip code stand for at most 20,000 people''; n[14])
                 @by_form(B; ''texts look like zip codes''; CASE WHEN n[13] = 0 AND n[8] >= 0.8 * shown THEN n[8] END)
                 @by_form(C; ''dates are finer than a year''; CASE WHEN system.main.regexp_matches(type, ''^(DATE|TIMESTAMP)'') THEN shown END)
                 @by_form(C; ''texts hold dates''; n[7] + n[17])
                 @by_name(C; ((.*_)?(month|quarter|week)(_of_.*)?|(.*_)?day_of_(week|month|year)|dob|(.*_)?date_of_birth|(.*_)?(birth|admission|discharge|death)_(day|month|date)))
                 @by_form(C; ''ages above 89 do not share the label 90+''; n[15])
                 @by_form(C; ''years of birth reveal ages above 89''; n[16])
                 @by_name(D; (.*_)?(phone|telephone|tel|mobile|cell)(_?(no|nr|number|phone).*)?)
                 @by_form(D; ''texts hold phone numbers''; n[4])
                 @by_name(E; (.*_)?fax(_.*)?)
                 @by_name(F; (.*_)?e_?mail(_.*)?)
                 @by_form(F; ''texts hold e-mail addresses''; n[2])
                 @by_name(G; (.*_)?(ssn|social_security)(_.*)?)
                 @by_form(G; ''texts hold social security numbers''; n[3])
                 @by_name(H; (.*_)?(mrn|medical_record|record_(no|number|id)|chart_(no|number|id)|patient_(id|no|nr|number|key))(_.*)?)
                 @by_name(I; (.*_)?(beneficiary|subscriber|health_plan|insurance_(id|no|number)|member_(id|no|number)|hicn|mbi|medicare_(id|no|number)|medicaid_(id|no|number))(_.*)?)
                 @by_name(J; (.*_)?(account|acct|iban|credit_card|card_(no|number)|bank)(_.*)?)
                 @by_form(J; ''texts hold account numbers''; n[12])
                 @by_name(K; (.*_)?(licen[cs]e|certificate|passport|driver)(_.*)?)
                 @by_name(L; (.*_)?(vin|vehicle|plate|license_plate)(_.*)?)
                 @by_form(L; ''texts look like vehicle identification numbers''; CASE WHEN n[11] >= 0.8 * shown THEN n[11] END)
                 @by_name(M; (.*_)?(device|serial|imei|imsi|udid|mac_address|mac|pacemaker)(_.*)?)
                 @by_form(M; ''texts hold addresses of devices''; n[10])
                 @by_name(N; (.*_)?(url|uri|website|web_?(site|page)|homepage)(_.*)?)
                 @by_form(N; ''texts hold URLs''; n[5])
                 @by_name(O; (.*_)?(ip|ipv4|ipv6|ip_?addr(ess)?)(_.*)?)
                 @by_form(O; ''texts hold IP addresses''; n[6])
                 @by_name(P; (.*_)?(biometric|finger_?prints?|voice_?prints?|iris_scan|retina_scan|genome|dna)(_.*)?)
                 @by_name(Q; (.*_)?(photo|photograph|portrait|picture|face|image)(_.*)?)
                 @by_name(R; (.*_)?(uuid|guid|user_?name|login|user_id|person_id|encounter_id|visit_id|specimen_id|accession)(_.*)?)
                 @by_form(R; ''texts look like UUIDs''; CASE WHEN type = ''UUID'' THEN shown WHEN n[9] >= 0.8 * shown THEN n[9] END)
                 NULL]) AS rule
             FROM "kanon#columns"
         )
         WHERE rule.cells > 0
     )
     SELECT column_name, ''('' || paragraph || '')'' AS paragraph, system.main.map_extract_value(MAP {{
                ''A'': ''names'', ''B'': ''places smaller than a state'', ''C'': ''dates finer than a year, ages above 89'', ''D'': ''phone numbers'',
                ''E'': ''fax numbers'', ''F'': ''e-mail addresses'', ''G'': ''social security numbers'', ''H'': ''medical record numbers'',
                ''I'': ''health plan numbers'', ''J'': ''account numbers'', ''K'': ''certificate and license numbers'',
                ''L'': ''vehicle identifiers'', ''M'': ''device identifiers'', ''N'': ''URLs'', ''O'': ''IP addresses'',
                ''P'': ''biometric identifiers'', ''Q'': ''photos of faces'', ''R'': ''other unique numbers and codes''}}, paragraph) AS identifier,
            cells::BIGINT AS cells, reason
     FROM (
         -- a name is told only where nothing else breaks the paragraph
         SELECT column_name, paragraph, cells, reason FROM "kanon#broken"
         QUALIFY reason <> ''by its name''
             OR system.main.count(CASE WHEN reason <> ''by its name'' THEN 1 END) OVER (PARTITION BY column_name, paragraph) = 0
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
