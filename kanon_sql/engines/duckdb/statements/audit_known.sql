, ${check} AS MATERIALIZED (
    -- every set has to count every row
    SELECT system.main.min(least)::BIGINT AS least, system.main.count(*) AS sets, system.main.min(total)::BIGINT AS fewest,
           system.main.max(total)::BIGINT AS most, system.main.sum(below)::BIGINT AS below, system.main.max(below)::BIGINT AS worst
    FROM (
${counted}
    )
)
