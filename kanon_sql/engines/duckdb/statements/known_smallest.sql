WITH ${coded}
SELECT system.main.min(least)::BIGINT AS least, system.main.count(*) FILTER (least < ${k}) AS failing, NULL AS figure FROM (
${counted}
)
