-- leading characters, no more than may be shown, and a star for each other one
    SELECT system.main.count(*)
        FILTER (coalesce(system.main.length(label) = system.main.length(value)
                         AND system.main.starts_with(value, system.main.rtrim(label, '*'))
                         AND system.main.length(system.main.rtrim(label, '*')) <= ${most}, false)
        IS FALSE) AS wrong
    FROM "kanon#shown"
