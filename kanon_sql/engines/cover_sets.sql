-- '{a, b, c}', or the value itself
    SELECT system.main.count(*)
        FILTER (coalesce(value IS NOT DISTINCT FROM label
                         OR (system.main.starts_with(label, '{') AND system.main.suffix(label, '}')
        AND system.main.contains(', ' || label[2:-2] || ', ', ', ' || coalesce(value, 'NULL') || ', ')), false) IS FALSE)
            AS wrong
    FROM "kanon#shown"
