    -- row types are handed over as they come, and each keeps the number that it gets
    SELECT system.main.kanon_gather("kanon#run".run, "kanon#h") AS number, "kanon#h" AS qi
    FROM ${heard}(
        SELECT ${grouped}
        FROM (
            SELECT ${columns}, ${counts} FROM (SELECT ${read} FROM ${source}) AS "kanon#s" WHERE NOT ${unlike} GROUP BY ALL
            UNION ALL BY NAME
            -- values that SQL calls equal but that look different (0.0 and -0.0, 30 days and 1 month) take one look;
            -- for other types this branch is empty when the statement is planned
            SELECT * EXCLUDE (${listed}), ${sums}
            FROM (
                SELECT system.main.first(${looks}) OVER (
                           PARTITION BY ${looks} ORDER BY CAST(${looks} AS VARCHAR) COLLATE "binary" DESC NULLS LAST), ${rest}
                FROM (
                    SELECT system.main.arg_max(${values}, CAST(${values} AS VARCHAR)), ${kept}${counts}
                    FROM (
                        SELECT ${columns}, system.main.create_sort_key("kanon#s", 'ASC NULLS LAST') AS ${look}
                        FROM (SELECT ${read} FROM ${source}) AS "kanon#s" WHERE ${unlike}
                    )
                    GROUP BY ${kept}${look}
                )
            )
            GROUP BY ALL
        )
    ) AS "kanon#h", "kanon#run"
