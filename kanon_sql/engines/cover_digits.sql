-- leading characters, no more than may be shown, and stars
    SELECT count(*) FILTER (coalesce(starts_with(value, rtrim(label, '*')) AND length(rtrim(label, '*')) <= ${most}, false)
        IS FALSE) AS wrong
    FROM "kanon#shown"
