-- leading characters, and a star for each further one of the longest value of the source; a longer value has no such label
        SELECT code, label
        FROM (
            SELECT code, system.main.concat(system.main.left(value, shown), system.main.repeat('*', longest - shown)) AS label
            FROM (
                SELECT value, code, longest, system.main.unnest(system.main.range(1, longest)) AS shown
                FROM ${texts}, (
                    SELECT coalesce(system.main.max(system.main.length(value)), 0) AS longest FROM ${texts} WHERE code >= 0
                )
                WHERE system.main.length(value) <= longest
            )
        )
        WHERE label IN (SELECT label FROM "kanon#shown")
