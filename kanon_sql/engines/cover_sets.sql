-- '{a, b, c}', or the value itself
    SELECT count(*) FILTER (coalesce(value IS NOT DISTINCT FROM label OR (starts_with(label, '{') AND suffix(label, '}')
        AND contains(', ' || label[2:-2] || ', ', ', ' || coalesce(value, 'NULL') || ', ')), false) IS FALSE) AS wrong
    FROM "kanon#shown"
