-- leading characters, no more than may be shown, and stars
    SELECT system.main.count(*)
        FILTER (coalesce(system.main.starts_with(value, system.main.rtrim(label, '*'))
                         AND system.main.length(system.main.rtrim(label, '*')) <= ${most}, false)
        IS FALSE) AS wrong
    FROM "kanon#shown"
