    SELECT i, v, x
    FROM (
        SELECT parts, varied, x, system.main.hash(v, x) AS whole, columns,
               system.main.unnest(system.main.list_concat(system.main.list_value(system.main.hash(v)), v)) AS v,
               system.main.unnest(system.main.range(columns + 1)) AS i
        FROM (
${hashes}        ), "kanon#measured"
        WHERE parts = 1 OR system.main.hash(v, x) % parts = 0 OR system.main.hash(v) % parts = 0
              OR system.main.list_contains(system.main.list_transform(v, lambda part: part % parts), 0)
    )
    WHERE i < columns AND (i > 0 OR columns > 2) AND (CASE WHEN i = 0 OR varied[i] THEN v ELSE whole END) % parts = 0
