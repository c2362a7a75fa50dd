WITH "kanon#coded" AS MATERIALIZED (
${coded}
)
SELECT system.main.min(least)::BIGINT AS least FROM (
${counted}
)
