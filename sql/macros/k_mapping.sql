-- k_mapping(tbl, qi, population): how many rows of a population match what the rows of a table show.
--
-- A table is k-map anonymous in a population if what each row shows matches at least k rows of the population. Values match if
-- their texts are equal; NULL and '*' of tbl show nothing, so all match. Text is compared byte by byte whatever the collation of
-- the column, because the reader sees bytes. Generalized cells are texts like any other: take the same cells for the population.
--
-- Arguments:
--   tbl          VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                            'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi           VARCHAR[]   the quasi-identifiers, which the population has under the same names
--   population   VARCHAR     name of the table of the population, as tbl
--
-- Result columns (one row):
--   k                 BIGINT   the fewest rows of the population that match a class; NULL for an empty table. 0: some class matches none
--   classes           BIGINT   number of classes
--   unmatched         BIGINT   classes that no row of the population matches
--   rows              BIGINT   number of rows
--   population_rows   BIGINT   number of rows of the population
--
-- Source: Sweeney: Computational Disclosure Control, PhD thesis, MIT, 2001.
-- Cost: one scan of both tables, and one GROUP BY of the population for each set of columns that rows show.
CREATE OR REPLACE MACRO k_mapping(tbl, qi := NULL, population := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#shown" AS MATERIALIZED (
         SELECT system.main.list_transform(shown, lambda cell: CASE WHEN cell <> ''*'' THEN cell END) AS shown,
                system.main.count(*) AS size
         FROM (SELECT system.main.list_value(*COLUMNS(*)) AS shown
               FROM (
                   @texts(SELECT {0} FROM {1} AS source)
               ) AS source) AS rows
         GROUP BY 1
     ), "kanon#population" AS MATERIALIZED (
         @people()
     ), "kanon#matched" AS (
         SELECT size, coalesce(many, 0) AS many
         FROM (
             SELECT size, system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden,
                    system.main.create_sort_key(system.main.row(shown), ''ASC NULLS FIRST'') AS key
             FROM "kanon#shown"
         ) AS classes
         LEFT JOIN (
             @matching_people()
         ) AS people USING (hidden, key)
     )
     SELECT system.main.min(many)::BIGINT AS k,
            system.main.count(*) AS classes,
            system.main.count(*) FILTER (many = 0) AS unmatched,
            coalesce(system.main.sum(size), 0)::BIGINT AS "rows",
            (SELECT coalesce(system.main.sum(many), 0)::BIGINT FROM "kanon#population") AS population_rows
     FROM "kanon#matched"',
    @quasi_identifiers(system.main.error('kanon: qi is missing (name the columns that the population shares with the table)'); name the columns that the population shares with the table),
    @table(tbl),
    @table(population),
    @built_in()
));
