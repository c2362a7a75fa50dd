-- How many people have the same history, for each column of tokens. Slots: see token_record.py.
WITH "kanon#past" AS MATERIALIZED (
    -- the histories before this release, equal ones with one number
    SELECT token, system.main.dense_rank() OVER (ORDER BY shown ASC NULLS LAST) AS past
    FROM (
        SELECT token, system.main.list(
            system.main.row(home, release, history) ORDER BY home ASC NULLS LAST, release ASC NULLS LAST) AS shown
        FROM (${earlier})
        GROUP BY token
    )
), "kanon#groups" AS MATERIALIZED (
    SELECT past, history, system.main.any_value(places) AS places, system.main.max(entries) AS entries, system.main.count(*) AS n
    FROM "kanon#now" AS "kanon#n" LEFT JOIN "kanon#past" AS "kanon#p" ON "kanon#p".token = "kanon#n".token
    GROUP BY past, history
), "kanon#shown" AS MATERIALIZED (
    SELECT place, past, entries > 1 OR past IS NOT NULL AS linked, n
    FROM "kanon#groups", (SELECT system.main.unnest(system.main.range(${columns})) AS place)
    WHERE system.main.list_extract(places, place + 1)
), "kanon#absent" AS (
    -- people of earlier releases who are not in this one, though somebody is whose history was the same until now
    SELECT place, "kanon#a".past, n
    FROM (
        SELECT past, system.main.count(*) AS n
        FROM "kanon#past" AS "kanon#p"
        WHERE NOT EXISTS (SELECT 1 FROM "kanon#now" AS "kanon#n" WHERE "kanon#n".token = "kanon#p".token)
        GROUP BY past
    ) AS "kanon#a" JOIN (SELECT DISTINCT place, past FROM "kanon#shown") AS "kanon#s" ON "kanon#s".past = "kanon#a".past
)
SELECT place, system.main.sum(n)::HUGEINT AS people, coalesce(system.main.sum(n) FILTER (n = 1), 0)::HUGEINT AS alone,
       system.main.min(n) AS fewest, system.main.sum(n::HUGEINT * n)::HUGEINT AS squares,
       coalesce(system.main.sum(n) FILTER (n < ${k}), 0)::HUGEINT AS below, system.main.bool_or(linked) AS linked
FROM (SELECT place, n, linked FROM "kanon#shown" UNION ALL SELECT place, n, true FROM "kanon#absent")
GROUP BY place
ORDER BY place ASC NULLS LAST
