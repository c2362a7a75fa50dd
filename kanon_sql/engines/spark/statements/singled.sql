-- what the columns that are released unchanged single out: one row of counts, without values
WITH looked_at AS (
    -- of each row the hash of what is released unchanged: all columns together (-2), those without a guarantee (-1), then each alone
    SELECT IF(place < 2, place - 2, place - 1) AS i, v, person FROM (SELECT posexplode(v) AS (place, v), person FROM ${cells})
), counted AS (
    SELECT count(*) AS rows, GREATEST(2, LEAST(${most_shared}, ${counted_people} DIV ${people_per_value})) AS shared FROM ${cells}
), single AS (
    -- rows whose value, or whose values in all these columns together, no other row has ("single"), or no other person ("lone"), or too
    -- few people share ("few")
    SELECT i, sum(n) AS rows, count_if(n = 1) AS single, sum(IF(people < 2, n, 0)) AS lone,
           sum(IF(people < shared, n, 0)) AS few, true AS exact
    FROM (
        SELECT i, v, sum(n) AS n, ${people} AS people
        FROM (SELECT i, v, person, count(*) AS n FROM looked_at GROUP BY i, v, person)
        WHERE i > 0 OR i = -1 AND ${columns} > 1 OR i = -2 AND ${sensitive} > 0 AND ${columns} + ${sensitive} > 1
        GROUP BY i, v
    ), counted
    GROUP BY i
)
SELECT rows, shared, (SELECT sum(CAST(v[0] AS DECIMAL(20, 0))) FROM ${cells}) AS fingerprint,
       (SELECT collect_list(struct(i, rows, single, lone, few, exact)) FROM single) AS single
FROM counted
