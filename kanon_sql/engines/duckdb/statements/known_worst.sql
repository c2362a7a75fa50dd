WITH ${coded}${tally}
SELECT system.main.min(least)::BIGINT AS least, system.main.sum(failing)::BIGINT AS failing,
       system.main.first(figure ORDER BY badness DESC NULLS LAST, figure ASC NULLS LAST) FILTER (failing > 0) AS figure
FROM (
${counted}
)
