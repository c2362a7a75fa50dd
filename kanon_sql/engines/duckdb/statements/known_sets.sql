SELECT chosen, system.main.min(n) AS least, system.main.sum(n) AS total,
       coalesce(system.main.sum(n) FILTER (n < ${k}), 0) AS below
FROM (SELECT ${bits} AS chosen, system.main.sum(size) AS n FROM ${coded} GROUP BY GROUPING SETS (${sets}))
GROUP BY chosen
