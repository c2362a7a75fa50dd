SELECT ${ranks}, 1 AS size
FROM (
        SELECT ${keys}
        FROM ${table}
)
