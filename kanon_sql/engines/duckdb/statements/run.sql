"kanon#run" AS MATERIALIZED (
    -- one gathering of row types each time that the statement runs, once it is settled whom a row describes
    SELECT system.main.kanon_begin(
        ${policy}, system.main.current_setting('memory_limit'), system.main.current_setting('temp_directory'),
        system.main.current_connection_id(),
        ${unit}, ${surface}) AS run
)