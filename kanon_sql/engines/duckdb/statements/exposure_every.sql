    SELECT i, CASE WHEN i = 0 THEN system.main.hash(v) ELSE v[i] END AS v, x
    FROM (
        SELECT v, x, system.main.unnest(suspects) AS i
        FROM (
${hashes}        ), "kanon#suspects"
    )
