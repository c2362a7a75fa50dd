-- greedy_search(): the CTEs of the greedy search, and of the classes of row types that are left over.

system.main.format(
    '-- Four codes of 31 bits a word, and for each mask the bits that it shows.
     "kanon places" AS MATERIALIZED (
         SELECT position, system.main.divide(position, 4) AS word,
                system.main.list_extract(
                    system.main.list_value(
                        1::HUGEINT, 2147483648::HUGEINT, 4611686018427387904::HUGEINT, 9903520314283042199192993792::HUGEINT),
                    system.main.add(system.main.mod(position, 4), 1)) AS shift
         FROM "kanon ladder" AS ladder
     ),
     "kanon packed" AS MATERIALIZED (
         SELECT type, size, word0, word1, word2
         FROM (
             SELECT type,
                    coalesce(system.main.sum(bits) FILTER (word = 0), 0),
                    coalesce(system.main.sum(bits) FILTER (word = 1), 0),
                    coalesce(system.main.sum(bits) FILTER (word = 2), 0)
             FROM (
                 SELECT type, word, system.main.multiply(code::HUGEINT, shift)
                 FROM "kanon codes" AS codes JOIN "kanon places" AS places ON codes.position = places.position
             ) AS codes(type, word, bits)
             GROUP BY type
         ) AS packed(type, word0, word1, word2)
         JOIN (SELECT type, size FROM "kanon types") AS types(key, size) ON key = type
     ),
     "kanon steps" AS MATERIALIZED (
         SELECT mask,
                coalesce(system.main.sum(bits) FILTER (word = 0), 0) AS bits0,
                coalesce(system.main.sum(bits) FILTER (word = 1), 0) AS bits1,
                coalesce(system.main.sum(bits) FILTER (word = 2), 0) AS bits2
         FROM (
             SELECT mask, word, system.main.multiply(2147483647::HUGEINT, shift)
             FROM "kanon masks" AS masks
             LEFT JOIN "kanon places" AS places ON system.main.list_contains(masks.shown, places.position)
         ) AS masks(mask, word, bits)
         GROUP BY mask
     ),
     -- A step for each mask, the cheapest first: what k of the rows left over show under it is a class.
     "kanon greedy"(type, size, word0, word1, word2, mask, step) USING KEY (type) AS (
         SELECT type, size, word0, word1, word2, NULL::BIGINT, 1::BIGINT FROM "kanon packed"
         {1}
         SELECT type, size, word0, word1, word2, CASE WHEN class0 IS NOT NULL THEN step END, system.main.add(step, 1)
         FROM (
             SELECT greedy.type, greedy.size, word0, word1, word2, step, system.main."&"(word0, bits0) AS shown0,
                    system.main."&"(word1, bits1) AS shown1, system.main."&"(word2, bits2) AS shown2
             FROM "kanon greedy" AS greedy JOIN "kanon steps" AS steps ON steps.mask = greedy.step
             WHERE greedy.mask IS NULL
         ) AS rest
         LEFT JOIN (
             SELECT system.main."&"(word0, bits0), system.main."&"(word1, bits1), system.main."&"(word2, bits2)
             FROM "kanon greedy" AS greedy JOIN "kanon steps" AS steps ON steps.mask = greedy.step
             WHERE greedy.mask IS NULL
             GROUP BY 1, 2, 3
             HAVING system.main.sum(size) >= {0}{2}
         ) AS classes(class0, class1, class2) ON class0 = shown0 AND class1 = shown1 AND class2 = shown2
     ),
     "kanon listed" AS MATERIALIZED (
         SELECT greedy.type, greedy.size, greedy.mask, codes
         FROM "kanon greedy" AS greedy
         JOIN (SELECT type, system.main.list(code ORDER BY position ASC NULLS LAST) FROM "kanon codes" GROUP BY type)
             AS codes(type, codes) ON codes.type = greedy.type
     ),
     -- A step for each row type that is left over: it takes a class with it, whole, to a mask under which both show the same.
     "kanon repaired"(type, size, mask, codes) USING KEY (type) AS (
         SELECT type, size, mask, codes FROM "kanon listed"
         {1}
         (WITH one AS (
             SELECT type, size, codes FROM recurring."kanon repaired" WHERE mask IS NULL ORDER BY type ASC NULLS LAST LIMIT 1
         ), classes AS (
             SELECT mask, values, system.main.sum(size) AS size, system.main.list(type) AS types
             FROM (
                 SELECT repaired.type, repaired.size, repaired.mask,
                        system.main.list_transform(shown, lambda place:
                            system.main.list_extract(codes, system.main.add(place, 1))) AS values
                 FROM recurring."kanon repaired" AS repaired JOIN "kanon masks" AS masks ON masks.mask = repaired.mask
             ) AS members
             GROUP BY mask, values
         ), joined AS (
             SELECT system.main.list_concat(classes.types, system.main.list_value(one.type)) AS types,
                    system.main.list_aggregate(classes.types, ''min'') AS lowest, classes.size AS size, one.size AS more, classes.mask,
                    system.main.list_filter(shown, lambda place, number:
                        system.main.list_extract(one.codes, system.main.add(place, 1)) = system.main.list_extract(values, number))
                        AS alike
             FROM one, classes JOIN "kanon masks" AS masks ON masks.mask = classes.mask
         ), {4}cheapest AS (
             SELECT types, after.mask
             FROM joined{5}
             JOIN "kanon masks" AS before ON before.mask = joined.mask
             JOIN "kanon masks" AS after ON {3}
             ORDER BY system.main.subtract(
                          system.main.multiply(system.main.add(size, more), after.hidden),
                          system.main.multiply(size, before.hidden)) ASC NULLS LAST,
                      after.mask ASC NULLS LAST, lowest ASC NULLS LAST
             LIMIT 1
         )
         SELECT repaired.type, repaired.size, chosen.mask, repaired.codes
         FROM (SELECT system.main.unnest(types), mask FROM cheapest{6}) AS chosen(type, mask)
         JOIN recurring."kanon repaired" AS repaired ON repaired.type = chosen.type)
     ),',
    -- {0} k, {1} how a recursion that keeps one row for each key is written
    system.main.struct_extract(given, 'k'), CASE WHEN system.main.starts_with(system.main.version(), 'v1.4.') THEN 'UNION' ELSE 'UNION ALL' END,
    -- {2} classes that do not keep the guarantee are left out
    CASE WHEN sa IS NULL THEN '' ELSE system.main.format('
             INTERSECT
             SELECT class0, class1, class2
             FROM (
                 SELECT class0, class1, class2, system.main.list(n ORDER BY number ASC NULLS LAST) AS counts,
                        system.main.list(number ORDER BY number ASC NULLS LAST) AS places,
                        system.main.list(total ORDER BY number ASC NULLS LAST) AS held, system.main.sum(n) AS size
                 FROM (
                     SELECT system.main."&"(word0, bits0) AS class0, system.main."&"(word1, bits1) AS class1,
                            system.main."&"(word2, bits2) AS class2, number, total, system.main.sum(n) AS n
                     FROM "kanon greedy" AS greedy
                     JOIN "kanon steps" AS steps ON steps.mask = greedy.step
                     JOIN "kanon pairs" AS pairs ON pairs.type = greedy.type
                     WHERE greedy.mask IS NULL
                     GROUP BY 1, 2, 3, 4, 5
                 ) AS pairs
                 GROUP BY 1, 2, 3
             ) AS classes
             CROSS JOIN "kanon totals" AS totals
             WHERE {}', guarantee::VARCHAR) END,
    -- {3} the masks under which a row type and a class may be released together
    CASE WHEN masks IS NULL THEN 'after.shown = joined.alike'
        ELSE 'system.main.len(system.main.list_filter(after.shown, lambda place: '
             'NOT system.main.list_contains(joined.alike, place))) = 0' END,
    -- {4} the classes with which a row type keeps the guarantee; and if none is left over, those that found no class: the pool
    CASE WHEN sa IS NULL THEN '' ELSE system.main.format('fitting AS (
             SELECT lowest AS fit
             FROM (
                 SELECT lowest, system.main.list(n ORDER BY number ASC NULLS LAST) AS counts,
                        system.main.list(number ORDER BY number ASC NULLS LAST) AS places,
                        system.main.list(total ORDER BY number ASC NULLS LAST) AS held, system.main.sum(n) AS size
                 FROM (
                     SELECT lowest, number, total, system.main.sum(n) AS n
                     FROM (SELECT lowest, system.main.unnest(types) AS type FROM joined) AS members
                     JOIN "kanon pairs" AS pairs ON pairs.type = members.type
                     GROUP BY 1, 2, 3
                 ) AS pairs
                 GROUP BY 1
             ) AS classes
             CROSS JOIN "kanon totals" AS totals
             WHERE {0}
         ), bare AS (
             SELECT mask FROM "kanon masks" WHERE system.main.len(shown) = 0
         ), pool AS (
             SELECT type FROM recurring."kanon repaired" WHERE mask = 0 AND NOT EXISTS (FROM one)
         ), enough AS (
             SELECT true AS enough
             FROM (
                 SELECT system.main.list(n ORDER BY number ASC NULLS LAST) AS counts,
                        system.main.list(number ORDER BY number ASC NULLS LAST) AS places,
                        system.main.list(total ORDER BY number ASC NULLS LAST) AS held, system.main.sum(n) AS size
                 FROM (
                     SELECT number, total, system.main.sum(n) AS n
                     FROM (
                         SELECT type FROM pool
                         UNION ALL
                         SELECT repaired.type FROM recurring."kanon repaired" AS repaired JOIN bare ON bare.mask = repaired.mask
                     ) AS members
                     JOIN "kanon pairs" AS pairs ON pairs.type = members.type
                     GROUP BY 1, 2
                 ) AS pairs
             ) AS classes
             CROSS JOIN "kanon totals" AS totals
             WHERE size >= {1} AND {0}
         ), largest AS (
             SELECT types
             FROM classes JOIN bare ON bare.mask <> classes.mask
             WHERE EXISTS (FROM pool) AND NOT EXISTS (FROM enough)
             ORDER BY size DESC NULLS LAST, system.main.list_aggregate(types, ''min'') ASC NULLS LAST
             LIMIT 1
         ), ', guarantee::VARCHAR, TRY_CAST(k AS BIGINT)) END,
    -- {5}, {6} what becomes of them
    CASE WHEN sa IS NULL THEN '' ELSE '
             JOIN fitting ON fit = lowest' END,
    CASE WHEN sa IS NULL THEN '' ELSE '
               UNION ALL
               SELECT type, 0 FROM one WHERE NOT EXISTS (FROM cheapest)
               UNION ALL
               SELECT pool.type, bare.mask FROM pool CROSS JOIN bare WHERE EXISTS (FROM enough)
               UNION ALL
               SELECT system.main.unnest(types), 0 FROM largest' END
)
