            SELECT system.main.list_value(*COLUMNS(* EXCLUDE ("kanon#x"))) AS v, "kanon#x" AS x
            FROM (
                SELECT ${unchanged}, system.main.list_value(${identifying}) AS "kanon#x"
                -- nothing is read where this is false
                FROM (SELECT *, true AS "kanon#one" FROM ${source} WHERE ${needed})
            )
