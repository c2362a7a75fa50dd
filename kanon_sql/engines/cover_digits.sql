SELECT count(*) FILTER (coalesce(starts_with(value, rtrim(label, '*')), false) IS FALSE) AS wrong FROM "kanon#shown"
