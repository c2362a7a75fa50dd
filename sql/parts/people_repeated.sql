-- people_repeated(source; qi): the CTEs before a query of "kanon#repeated", which has a row for each column of source that repeats people, or for
-- two that do together: their names as key, people, rows, the shared columns and bits. They follow recognized(source); qi is a list of columns as SQL, in
-- small letters.
-- The rule is that of `kanon_sql/recognition/repeated_people.py`.

-- What describes people: columns of qi, and others by their names. Columns on one topic say the same. A trait of many people tells nobody apart.
-- Of a large table, rows are drawn, and of each column with many values all rows of one in so many values.
"kanon#described" AS MATERIALIZED (
    SELECT place, name, different < texts AS several, different, mask, finer, finer > 0 AND system.main.multiply(different, 10) > system.main.multiply(texts, 9) AS many,
           personal, personal OR system.main.list_contains(<qi>, system.main.translate(
               name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')) AS asked,
           kind IS NOT DISTINCT FROM ''age'' AS ages, kind IS NOT DISTINCT FROM ''age'' AND different > 20 AS grows,
           kind IS NOT DISTINCT FROM ''date of birth'' AS born, kind IS NOT DISTINCT FROM ''date'' AS dated,
           kind IS NOT DISTINCT FROM ''date'' OR personal AND kind IS DISTINCT FROM ''date of birth'' AS shared_by_many,
           -- numbers of patients can look like UUIDs
           system.main.list_has_any(system.main.list_value(kind, CASE WHEN role = ''identifier'' THEN named END), system.main.list_value(
               ''account number'', ''date of birth'', ''e-mail address'', ''insurance number'', ''login'', ''national number'', ''number of a person'',
               ''record number'')) AS identifying,
           coalesce(kind IN (''IP address'', ''street address'', ''telephone number''), false) AS home, kind IS NOT DISTINCT FROM ''name'' AS called,
           coalesce(kind IN (''IP address'', ''street address'', ''telephone number'', ''name'', ''date of birth''), false) AS spelled,
           coalesce(kind IN (''insurance number'', ''national number'', ''number of a person''), false) AS numbering,
           CASE
               WHEN kind IN (''date of birth'', ''year of birth'', ''age'') THEN ''birth''
               WHEN kind IN (''postal code'', ''place smaller than a state'', ''region'', ''coordinate'', ''street address'') THEN ''place''
               ELSE coalesce(kind, name)
           END AS topic
    FROM "kanon#recognized" AS recognized, (
        SELECT system.main.subtract(system.main."<<"(1, shift), 1)::UBIGINT AS mask,
               system.main.subtract(system.main."<<"(1, CASE WHEN shift > 0 THEN system.main.add(shift, 1) ELSE 0 END), 1)::UBIGINT AS finer
        FROM (
            SELECT system.main.greatest(0, system.main.floor(system.main.log2(system.main."/"(system.main.count(*), 4096))))::INTEGER AS shift
            FROM <source>
            HAVING system.main.count(*) >= 30
        ) AS source
    ) AS size
),
-- Two columns may tell people apart together, as a clinic and the number of a patient there do. Such a key comes before names, addresses and birth
-- dates, which people may have several of, or share. Those that look like identifiers are tried with others; and in a table of which all rows are here, and have no numbers of people of their own, those that have the most values, but for one that
-- numbers the rows.
"kanon#columns" AS MATERIALIZED (
    WITH parts AS (
        SELECT * FROM "kanon#described" WHERE (several OR identifying) AND different > 1 AND NOT asked AND NOT shared_by_many
        QUALIFY system.main.row_number() OVER (ORDER BY identifying DESC NULLS LAST, different DESC NULLS LAST, place ASC NULLS LAST) <= 8
    )
    SELECT * EXCLUDE (several, different, home, called, spelled), place AS first, place AS second, CASE WHEN many THEN place END AS whole,
           CASE WHEN asked THEN system.main.list_value(topic) ELSE system.main.list_value() END AS own, false AS residing,
           CASE WHEN identifying THEN ''identifier'' ELSE ''any'' END AS judged_as, CASE WHEN spelled THEN 3 ELSE 1 END AS tried
    FROM "kanon#described"
    UNION ALL
    SELECT one.* EXCLUDE (several, different, home, called, spelled) REPLACE (
               system.main.add(system.main.multiply(10000, one.place), two.place) AS place,
               one.identifying OR two.identifying AS identifying, false AS numbering, one.many OR two.many AS many),
           one.place, two.place, CASE WHEN one.many THEN one.place WHEN two.many THEN two.place END, system.main.list_value(), false,
           CASE WHEN one.identifying OR two.identifying THEN ''identifier'' ELSE ''any'' END,
           CASE WHEN (one.identifying OR two.identifying) AND NOT (one.spelled OR two.spelled) THEN 2 ELSE 4 END
    FROM parts AS one JOIN parts AS two ON one.place < two.place
    WHERE one.mask = 0 OR one.identifying OR two.identifying
    UNION ALL
    -- What a household shares, alone and with a name; their places are below 0.
    SELECT one.* EXCLUDE (several, different, home, called, spelled) REPLACE (
               system.main.subtract(0, system.main.add(system.main.add(system.main.multiply(10000, one.place), two.place), beside)) AS place,
               false AS identifying, false AS numbering, false AS shared_by_many, one.many OR two.many AS many),
           one.place, two.place, CASE WHEN one.many THEN one.place WHEN two.many THEN two.place END,
           system.main.list_concat(CASE WHEN one.asked THEN system.main.list_value(one.topic) ELSE system.main.list_value() END,
                                   CASE WHEN two.asked THEN system.main.list_value(two.topic) ELSE system.main.list_value() END),
           one.home AND one.personal OR two.home AND two.personal, as_home, tried
    FROM (VALUES (''home'', 0, 5), (''crowded home'', 1000000000, 6), (''named home'', 0, 7), (''two names'', 0, 8)) AS homes(as_home, beside, tried)
    JOIN "kanon#described" AS one ON true
    JOIN "kanon#described" AS two
        ON CASE as_home
               WHEN ''named home'' THEN one.place < two.place AND (one.home AND two.called OR one.called AND two.home)
               WHEN ''two names'' THEN one.place < two.place AND one.called AND two.called
               ELSE one.place = two.place AND one.home
           END
),
"kanon#sampling" AS MATERIALIZED (
    SELECT system.main.min(mask) AS mask, system.main.min(finer) AS finer, system.main.list(place) FILTER (many) AS many,
           system.main.bool_or(ages) AS growing, system.main.list(place) FILTER (ages) AS aged, system.main.list(place) FILTER (dated) AS dated
    FROM "kanon#described"
    HAVING system.main.bool_or(asked)
),
-- A number for each cell, equal for equal values, and NULL for NULL; where ages grow, these, and when a row was written, in years; and a random key
-- that does not depend on the order of the table.
"kanon#rows" AS MATERIALIZED (
    SELECT system.main.row_number() OVER () AS id, drawn, codes, system.main.hash(codes, times) AS key,
           CASE WHEN growing THEN system.main.list_transform(texts, lambda text, place:
               CASE WHEN system.main.list_contains(aged, place) THEN TRY_CAST(text AS DOUBLE) END) END AS years,
           CASE WHEN growing THEN system.main."/"(system.main.epoch(system.main.list_extract(system.main.list_filter(
               system.main.list_transform(dated, lambda place: TRY_CAST(system.main.list_extract(texts, place) AS TIMESTAMP)),
               lambda moment: moment IS NOT NULL), 1)), 31556952) END AS written
    FROM (
        SELECT drawn, codes, texts, system.main.unnest(system.main.range(system.main.count(*))) AS times
        FROM (
            SELECT drawn, codes, system.main.list_value(*COLUMNS(''(?s)^3.*'')) AS texts
            FROM (
                SELECT system.main."&"("row", mask) = mask AS drawn, codes,
                       CASE WHEN growing THEN CAST(COLUMNS(''(?s)^1(.*)$'') AS VARCHAR) END AS "3\1"
                FROM (
                    SELECT "row", COLUMNS(''(?s)^1.*''), system.main.list_value(*COLUMNS(''(?s)^2.*'')) AS codes
                    FROM (
                        SELECT "row", COLUMNS(''(?s)^1.*''),
                               CASE WHEN COLUMNS(''(?s)^1(.*)$'') IS NOT NULL THEN system.main.hash(COLUMNS(''(?s)^1(.*)$'')) END AS "2\1"
                        FROM (
                            SELECT COLUMNS(''(?s)^(.*)$'') AS "1\1", system.main.hash(system.main.row_number() OVER ()) AS "row" FROM <source>
                        ) AS source
                    ) AS cells
                ) AS cells, "kanon#sampling" AS sampling
                WHERE system.main."&"("row", mask) = mask OR system.main.len(system.main.list_filter(
                    many, lambda place: system.main."&"(system.main.list_extract(codes, place), finer) = finer)) > 0
            ) AS cells
        ) AS cells
        GROUP BY drawn, codes, texts
    ) AS cells, "kanon#sampling" AS sampling
),
-- Of each column, the rows with a value, and before each the row that it follows if those of one value are in a random order; same is whether both
-- have the same value. Of a column with many values, these are all rows of one in so many values, else those that were drawn.
"kanon#neighbours" AS MATERIALIZED (
    SELECT place, many, mask, finer, key, id AS one, system.main.lag(id) OVER (PARTITION BY place ORDER BY code ASC NULLS LAST, key ASC NULLS LAST) AS two,
           coalesce(code = system.main.lag(code) OVER (PARTITION BY place ORDER BY code ASC NULLS LAST, key ASC NULLS LAST), false) AS same
    FROM (
        SELECT place, many, mask, finer, key, id, drawn, system.main.list_extract(codes, whole) AS part, CASE
                   WHEN first = second THEN system.main.list_extract(codes, first)
                   WHEN system.main.list_extract(codes, first) IS NOT NULL AND system.main.list_extract(codes, second) IS NOT NULL
                   THEN system.main.hash(system.main.list_extract(codes, first), system.main.list_extract(codes, second))
               END AS code
        FROM "kanon#rows" AS source, "kanon#columns" AS columns
        WHERE asked OR NOT shared_by_many
    ) AS cells
    WHERE code IS NOT NULL AND CASE WHEN many THEN system.main."&"(part, finer) = finer ELSE drawn END
),
"kanon#keys" AS MATERIALIZED (
    SELECT columns.*, pairs, "values", "rows", CASE WHEN judged_as IN (''any'', ''crowded home'') THEN 0.9 ELSE 0.6 END AS least, system.main.bool_or(
               numbering AND system.main.multiply("values", 100) >= system.main.multiply(95, (SELECT system.main.count(*) FROM "kanon#rows"))) OVER () AS numbered
    FROM (
        SELECT place, system.main.count(*) FILTER (same) AS pairs,
               system.main.multiply(system.main.count(*), system.main.add(system.main.min(CASE WHEN many THEN finer ELSE mask END), 1))::BIGINT AS "rows",
               system.main.multiply(system.main.count(*) FILTER (NOT same), system.main.add(
                   system.main.min(CASE WHEN many THEN finer ELSE 0 END), 1))::BIGINT AS "values"
        FROM "kanon#neighbours"
        GROUP BY place
    ) AS counted
    JOIN "kanon#columns" AS columns ON columns.place = counted.place
),
-- The share of neighbours with the same value that agree on what describes people; 2,000 of them are enough. Where nearly all agree, the value
-- determines the other one.
"kanon#shares" AS MATERIALIZED (
    SELECT keys.place, keys.first, keys.second, keys."values", keys.identifying, keys.residing, keys.judged_as, keys.least, other, share, others."values" AS others, others.topic,
           others.personal, others.grows, others.ages, others.topic IN (''birth'', ''sex'') AS inborn, years,
           NOT keys.shared_by_many AND keys.pairs >= CASE WHEN keys.identifying THEN 10 ELSE 30 END
               AND keys."values" >= CASE WHEN keys.identifying THEN 3 WHEN keys.judged_as = ''two names'' THEN 5 ELSE 10 END
               AND (keys.judged_as IN (''any'', ''identifier'') AND (keys.first = keys.second OR keys.identifying) OR NOT keys.numbered)
               AND (keys.first = keys.second
                   OR system.main.multiply(keys."values", 100) < system.main.multiply(keys."rows", CASE WHEN keys.judged_as = ''any'' THEN 60 ELSE 95 END))
               AND (keys.judged_as <> ''crowded home'' OR keys."rows" >= system.main.multiply(keys."values", 8))
               AND share IS NOT NULL AND NOT system.main.list_contains(keys.own, others.topic) AS told,
           system.main.list(system.main.struct_pack(place := keys.place, "values" := keys."values"))
               FILTER (share >= 0.98) OVER (PARTITION BY other) AS determining
    FROM (
        @agreements(@near_pairs(); SELECT place AS other, grows FROM "kanon#columns" WHERE asked; pairs.place <> other)
    ) AS shares
    JOIN "kanon#keys" AS keys ON keys.place = shares.place
    JOIN "kanon#keys" AS others ON others.place = other
),
-- The same of random pairs of rows that differ in the column, for what neighbours agree on, and for what people are born with.
"kanon#facts" AS MATERIALIZED (
    SELECT shares.*, chance, share >= enough AND coalesce(chance <= 0.7, false) AS shared, share < enough AS apart, inborn AND CASE
               -- ages of one person are half as far apart as those of random rows in 40 years
               WHEN ages THEN coalesce(years > system.main.multiply(0.75, years_at_random), false)
               ELSE coalesce(system.main.multiply(share, 2) < system.main.add(1, chance), true)
           END AS varies
    FROM "kanon#shares" AS shares
    LEFT JOIN (  -- people may move: for an identifier, what hardly any random pairs agree on counts from 60 %
        SELECT place AS key, other AS trait, system.main.greatest(share, system.main."/"(1, pairs)) AS chance, years AS years_at_random
        FROM (
            @agreements(@random_pairs(EXISTS (FROM "kanon#shares" WHERE told AND share >= least)); @suspected(); @differ_in_key())
        ) AS chances
    ) AS chances ON key = place AND trait = other
    CROSS JOIN LATERAL (SELECT CASE WHEN least < 0.9 THEN system.main.least(0.8, system.main.greatest(
        0.6, system.main.add(0.5, system.main.multiply(0.6, coalesce(chance, 1))))) ELSE 0.9 END AS enough) AS enough
    WHERE told AND (first = second OR judged_as IN (''named home'', ''two names'') OR system.main.len(system.main.list_filter(
        determining, lambda part: part.place = first OR part.place = second)) > 0 IS NOT TRUE)
),
-- Once with and once without the columns of qi whose names say nothing of a person: these may be about what happened to people. A trait that
-- another one with few values determines counts with it; if two determine each other, the first counts. A column that may also be that of a
-- group, such as a household, is not certain. If a column of qi differs, only agreement on age or sex tells a person from a household. Rows with an
-- address have to agree on everything, and on age, sex or job, unless they are more than a household has members.
"kanon#judged" AS MATERIALIZED (
    SELECT *, varies IS NOT TRUE AND (every OR identifying OR residing OR born) AND CASE
               WHEN judged_as IN (''home'', ''named home'') THEN (different = 0 OR inborn) AND apart_at_home
               WHEN judged_as IN (''crowded home'', ''two names'') THEN different = 0 OR inborn
               WHEN identifying THEN shared > 1 OR different = 0
               ELSE (shared > 2 OR first = second AND different = 0) AND shared >= system.main.multiply(different, 2)
           END AS certain
    FROM (
        SELECT place, first, second, every, identifying, residing, judged_as, system.main.count(chance) AS shared,
               system.main.sum(system.main.log2(system.main."/"(1, chance))) AS bits,
               system.main.bool_or(topic IN (''birth'', ''sex'') AND chance IS NOT NULL) AS born,
               system.main.count(DISTINCT topic) FILTER (topic IN (''birth'', ''sex'') AND chance IS NOT NULL) = 2 AS inborn,
               system.main.bool_or(topic IN (''birth'', ''job'', ''sex'') AND chance IS NOT NULL) AS apart_at_home,
               system.main.list(trait ORDER BY trait ASC NULLS LAST) FILTER (chance IS NOT NULL) AS traits,
               system.main.count(*) FILTER (differs) AS different, system.main.bool_or(varies) AS varies
        FROM (
            SELECT place, first, second, every, topic, identifying, residing, judged_as, system.main.min(chance) FILTER (counts) AS chance,
                   system.main.arg_min(other, chance) FILTER (counts) AS trait,
                   system.main.bool_or(apart) AND NOT system.main.bool_or(shared) AS differs,
                   system.main.bool_or(varies) AS varies
            FROM (
                SELECT *, shared AND coalesce(system.main.len(system.main.list_filter(determining, lambda one:
                           system.main.list_contains(traits, one.place) AND system.main.multiply(one."values", 2) < "values"
                           AND (one.place < other OR system.main.multiply(others, 10) < system.main.multiply(one."values", 9)))), 0) = 0 AS counts
                FROM (
                    SELECT *, system.main.list(other) FILTER (shared) OVER (PARTITION BY place, every) AS traits
                    FROM "kanon#facts", (VALUES (true), (false)) AS scopes(every)
                    WHERE every OR personal
                ) AS facts
            ) AS facts
            GROUP BY place, first, second, every, topic, identifying, residing, judged_as
        ) AS topics
        GROUP BY place, first, second, every, identifying, residing, judged_as
    ) AS judged
    WHERE CASE judged_as WHEN ''any'' THEN bits >= 6 AND shared > 1 WHEN ''crowded home'' THEN bits >= 1 WHEN ''home'' THEN bits >= 4 AND shared > 1
              WHEN ''two names'' THEN bits >= 4 AND shared > 1 ELSE shared > 0 END
),
-- Names of which a fifth of the neighbours agree on everything personal: the others are namesakes.
"kanon#namesakes" AS MATERIALIZED (
    WITH questions AS (
        SELECT keys.place AS named, first, second, other.place AS other, other.grows AS grows, other.topic AS topic, other.personal AS personal
        FROM "kanon#keys" AS keys JOIN "kanon#described" AS other ON other.place NOT IN (first, second) AND (other.personal OR other.asked)
        WHERE (judged_as = ''two names'' OR first = second AND system.main.list_contains((SELECT system.main.list(place) FROM "kanon#described" WHERE called), first))
            AND NOT numbered AND NOT keys.shared_by_many AND pairs >= 30 AND "values" >= 10
            AND system.main.multiply("values", 100) < system.main.multiply("rows", 95) AND NOT EXISTS (FROM "kanon#judged" WHERE certain)
    ),
    near AS (
        SELECT place, every
        FROM (
            @agree_on_all(@near_pairs(); FROM questions; named = place)
        ) AS pairs
        GROUP BY place, every
        HAVING system.main.avg(agrees) >= 0.2
    )
    SELECT place, chances.every AS every, traits, system.main.subtract(0, system.main.log2(chance)) AS bits
    FROM (
        SELECT pairs.place AS place, pairs.every AS every, system.main.greatest(system.main.avg(agrees), system.main."/"(1, system.main.count(*))) AS chance
        FROM (
            @agree_on_all(@random_pairs(EXISTS (FROM near)); SELECT * RENAME (named AS place) FROM questions; @differ_in_key())
        ) AS pairs
        SEMI JOIN near ON near.place = pairs.place AND near.every = pairs.every
        GROUP BY pairs.place, pairs.every
    ) AS chances
    JOIN (
        SELECT named, every, system.main.list(other ORDER BY other ASC NULLS LAST) AS traits
        FROM questions JOIN (VALUES (true), (false)) AS scopes(every) ON every OR personal
        GROUP BY named, every
        HAVING system.main.bool_or(topic IN (''birth'', ''sex'') OR every AND topic = ''job'')
    ) AS told ON named = place AND told.every = chances.every
    WHERE chance <= 0.015625
),
-- A column is full if it has nearly as many rows as the fullest one; of full ones, that with the fewest values comes first: a person with two numbers,
-- or two spellings of a name, is still one.
"kanon#repeated" AS MATERIALIZED (
    SELECT *, system.main.multiply("rows", 100) >= system.main.multiply(CASE WHEN system.main.len(key) = 1 THEN 98 ELSE 100 END, system.main.max("rows") OVER ()) AS "full"
    FROM (
        SELECT keys.place, CASE WHEN keys.first = keys.second THEN system.main.list_value(name)
                   ELSE system.main.list_value(name, system.main.list_extract(names, keys.second)) END AS key,
               mask, "values" AS people, "rows", keys.identifying, keys.born, bits, every, system.main.greatest(judged.tried, keys.tried) AS tried,
               system.main.min(keys.tried) OVER (PARTITION BY every) AS best,
               system.main.list_transform(traits, lambda trait: system.main.list_extract(names, trait)) AS shared
        FROM (
            SELECT place, every, bits, traits, certain, shared, 0 AS tried FROM "kanon#judged"
            UNION ALL
            SELECT place, every, bits, traits, true, system.main.len(traits), 9 FROM "kanon#namesakes"
        ) AS judged
        JOIN "kanon#keys" AS keys ON keys.place = judged.place
        CROSS JOIN (SELECT system.main.list(name ORDER BY place ASC NULLS LAST) AS names FROM "kanon#described") AS names
        -- the birth date of several people determines their age, whatever that is called
        WHERE certain AND (judged.shared > 1 OR NOT keys.born) AND NOT EXISTS (
            FROM "kanon#judged" AS alone
            WHERE keys.judged_as IN (''any'', ''identifier'') AND keys.first <> keys.second AND alone.first = alone.second AND alone.shared > 1 AND NOT alone.identifying
                AND alone.place IN (keys.first, keys.second)
        )
    ) AS repeated
    QUALIFY system.main.rank() OVER (ORDER BY every DESC NULLS LAST, CASE WHEN best > 1 OR tried <> 3 THEN tried ELSE 1 END ASC NULLS LAST) = 1
)
