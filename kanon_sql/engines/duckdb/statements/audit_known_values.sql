, ${check} AS MATERIALIZED (
    -- every set has to count every row
    SELECT system.main.min(least)::BIGINT AS least, system.main.count(*) AS sets, system.main.min(total)::BIGINT AS fewest,
           system.main.max(total)::BIGINT AS most, system.main.sum(below)::BIGINT AS below, system.main.max(below)::BIGINT AS worst,
           system.main.sum(failing)::BIGINT AS failing, system.main.max(most_badness) AS most_badness,
           coalesce(system.main.first(figure ORDER BY badness DESC NULLS LAST, figure ASC NULLS LAST) FILTER (failing > 0),
                    'by unknown figures') AS figure
    FROM (
${counted}
    )
)
