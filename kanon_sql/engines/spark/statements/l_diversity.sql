-- The figures of the least diverse classes: shares are compared to 18 decimal places.
WITH ${tally}
SELECT min(different) AS distinct_l, max(share).size AS worst_size, max(share).top AS worst_count, min(entropy) AS entropy_l
FROM (
    SELECT count(*) AS different, round(exp(ln(sum(n)) - sum(n * ln(n)) / sum(n)), 9) AS entropy,
           struct(CAST(max(n) AS DECIMAL(19, 0)) * 1000000000000000000BD div sum(n) AS places, sum(n) AS size, max(n) AS top)
               AS share
    FROM tally
    GROUP BY class
)
