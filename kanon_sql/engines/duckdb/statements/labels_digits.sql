-- leading characters, and a star for each other one: as many characters are left as a label of this length has before its stars
        SELECT code, label, size - shown AS layer
        FROM (
            SELECT code, system.main.concat(system.main.left(value, shown), system.main.repeat('*', size - shown)) AS label,
                   size, shown
            FROM ${texts} JOIN (
                SELECT DISTINCT system.main.length(label) AS size,
                       system.main.greatest(1, system.main.length(system.main.rtrim(label, '*'))) AS shown
                FROM "kanon#shown"
            ) ON size = system.main.length(value)
        )
        WHERE label IN (SELECT label FROM "kanon#shown")
