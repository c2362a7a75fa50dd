-- A fingerprint of the rows of a table, whatever their order: digests of their texts, each with how often it occurs.
SELECT coalesce(system.main.sum(n), 0)::BIGINT AS "rows",
       system.main.kanon_ledger_token('release', system.main.format('{} {}', ${names}, coalesce(
           system.main.bit_xor(system.main.md5_number(system.main.format('{} {}', digest, n)))::VARCHAR, ''))) AS fingerprint
FROM (
    SELECT system.main.md5(CAST(system.main.to_json(system.main.list_value(${values})) AS VARCHAR)), system.main.count(*)
    FROM ${release}
    GROUP BY 1
) AS rows(digest, n)
