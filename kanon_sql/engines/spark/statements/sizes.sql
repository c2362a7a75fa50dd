-- The classes of a table, by what their rows show byte for byte, and the risks of rows.
SELECT min(n) AS k, coalesce(sum(n), 0) AS rows, count(*) AS classes, count_if(n = 1) AS uniques,
       1 / min(n) AS highest_risk, count(*) / nullif(sum(n), 0) AS average_risk
FROM (SELECT count(*) AS n FROM (SELECT struct(${looks}) AS class FROM ${written}) GROUP BY class)
