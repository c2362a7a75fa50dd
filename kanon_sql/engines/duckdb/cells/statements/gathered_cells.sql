-- The base cells of a table, handed to the solver. Slots: see query.py.
WITH "kanon#source" AS ${read} (
    SELECT ${columns}
    ${source}
), "kanon#run" AS MATERIALIZED (
    SELECT system.main.kanon_begin_cells(
        ${counting}, ${protection}, ${ticket},
        -- a view is read as the tables that it reads
        coalesce((SELECT system.main.map(system.main.list(name), system.main.list(sql)) FROM (
            SELECT view_name AS name, system.main.string_agg(sql, ' ') AS sql FROM system.main.duckdb_views()
            WHERE NOT internal
            GROUP BY ALL
        )), CAST(MAP {} AS MAP(VARCHAR, VARCHAR))),
        -- where the table is remembered; other connections do not see tables of this transaction
        (SELECT system.main.list("kanon#t") FROM (
            SELECT t.name, t.database_name AS "database", d.path IS NOT NULL AS file, d.readonly
            FROM (
                SELECT table_name AS name, database_name FROM system.main.duckdb_tables()
                UNION ALL SELECT view_name, database_name FROM system.main.duckdb_views() WHERE NOT internal
            ) AS t JOIN system.main.duckdb_databases() AS d USING (database_name)
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
