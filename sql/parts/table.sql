-- table(argument): the table that an argument of the macro names.

@quoted_name(<argument>::VARCHAR)
    ELSE system.main.error(system.main.format('kanon: <argument> is not the name of a table: {} (write patients, main.patients or "odd name")',
        coalesce(<argument>::VARCHAR, 'NULL')))
END
