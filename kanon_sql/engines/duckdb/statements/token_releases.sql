-- The earlier releases that share the secret: whether one divides the same people in the same way as this one, so that it tells nothing
-- new, and whether it shares a token with this one. Slots: see token_record.py.
SELECT home, release,
       tokens = (SELECT system.main.count(*) FROM "kanon#now") AND tokens = shared AND pairs = here AND pairs = there AS again,
       shared > 0 AS shares
FROM (
    SELECT home, release, system.main.count(*) AS tokens, system.main.count("kanon#n".history) AS shared,
           system.main.count(DISTINCT "kanon#e".history) AS there, system.main.count(DISTINCT "kanon#n".history) AS here,
           system.main.count(DISTINCT system.main.row("kanon#e".history, "kanon#n".history)) AS pairs
    FROM (${earlier}) AS "kanon#e" LEFT JOIN "kanon#now" AS "kanon#n" ON "kanon#n".token = "kanon#e".token
    GROUP BY home, release
)
