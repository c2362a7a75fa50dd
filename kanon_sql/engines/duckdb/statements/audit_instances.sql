
        -- each piece and its instance: what it shows, and the layers of its labels
        SELECT class, size, mask, ${layers}, ${keys},
               system.main.dense_rank() OVER (ORDER BY system.main.row(mask, ${keys}) ASC NULLS LAST) AS instance
        FROM (
            SELECT *, system.main.dense_rank() OVER (ORDER BY system.main.row(hidden, ${layers}) ASC NULLS LAST) AS mask
            FROM (
                SELECT class, size, hidden, ${own}
                FROM (
                    SELECT class, row_type, labels, upto - after AS size, ${hidden} AS hidden FROM "kanon#pieces"
                ) AS "kanon#p"
                LEFT JOIN ${known} AS "kanon#k" ON "kanon#k".number = "kanon#p".row_type
                ${named}
            )
        )
