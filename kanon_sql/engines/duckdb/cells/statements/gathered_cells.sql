-- The base cells of a table, handed to the solver. Slots: see query.py.
WITH "kanon#source" AS ${read} (
    SELECT ${columns}
    ${source}
), "kanon#plan" AS MATERIALIZED (
    SELECT CAST(system.main.json_serialize_plan(${planned}) AS VARCHAR) AS plan
), "kanon#run" AS MATERIALIZED (
    SELECT system.main.kanon_begin_cells(
        ${counting}, ${protection}, ${ticket},
        -- the plan knows which tables are read
        (SELECT plan FROM "kanon#plan"),
        -- other connections do not see tables of this transaction
        (SELECT system.main.list("kanon#t") FROM (
            SELECT t.*, d.path, d.readonly FROM (
                SELECT table_name AS name, schema_name AS "schema", database_name AS "database", 'table' AS kind, NULL AS sql,
                    system.main.concat_ws(' ', database_oid, table_oid) AS mark,
                    -- a file of another format gives the same columns other types
                    system.main.concat_ws(' ', estimated_size, CAST((
                        SELECT system.main.list(c.column_name ORDER BY c.column_index ASC NULLS LAST)
                        FROM system.main.duckdb_columns() AS c
                        WHERE c.database_oid = t.database_oid AND c.table_oid = t.table_oid
                    ) AS VARCHAR)) AS contents
                FROM system.main.duckdb_tables() AS t
                UNION ALL
                SELECT view_name, schema_name, database_name, 'view', sql, NULL, NULL FROM system.main.duckdb_views()
                WHERE NOT internal
                UNION ALL
                -- macros are printed slowly, so only where there is no plan
                SELECT name, "schema", "database", 'macro', sql, NULL, NULL FROM system.main.query(CASE
                    WHEN system.main.contains(CAST(system.main.json_serialize_plan(${planned}) AS VARCHAR), '"error":true')
                    THEN 'SELECT function_name AS name, schema_name AS "schema", database_name AS "database",
                            macro_definition AS sql
                        FROM system.main.duckdb_functions() WHERE macro_definition IS NOT NULL AND NOT internal'
                    ELSE 'SELECT NULL AS name, NULL AS "schema", NULL AS "database", NULL AS sql WHERE false'
                END)
            ) AS t JOIN system.main.duckdb_databases() AS d ON t."database" = d.database_name
        ) AS "kanon#t"),
        -- nothing is counted before it is settled whom a row describes
        ${unit}) AS run
    -- nothing is released where a macro of the database takes the place of a function behind the syntax of this text
    WHERE ${unshadowed}
), "kanon#base" AS (
${counted}
), "kanon#coded" AS (
    SELECT *, system.main.row_number() OVER (ORDER BY system.main.row(${grouped}) ASC NULLS LAST) AS "kanon#number"
    FROM (
        SELECT *,
           ${codes},
           CAST(${nulls} AS BIGINT) AS "kanon#nulls"
        FROM "kanon#base"
    )
), "kanon#cells" AS MATERIALIZED (
    SELECT "kanon#b".*, system.main.kanon_gather(run, "kanon#b") AS "kanon#arrived"
    FROM (SELECT * EXCLUDE (${keys}) FROM "kanon#coded") AS "kanon#b", "kanon#run"
)
