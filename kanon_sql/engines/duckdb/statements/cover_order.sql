(
        -- a column is ordered by its numbers where all of its values are such, those that are not shown, too
        SELECT system.main.bool_and(value IS NULL OR system.main.regexp_full_match(
                   value, ' *[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?|inf|nan) *')) AS numbers
        FROM (SELECT DISTINCT CAST(qi.${column} AS VARCHAR) COLLATE "binary" AS value FROM "kanon#fitted")
    ) AS "kanon#order"