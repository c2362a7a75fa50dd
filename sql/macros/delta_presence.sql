-- delta_presence(tbl, qi, population): how likely each person of a population is in a table, judged by its rows.
--
-- A class matches the rows of the population that have what it shows; its share is the number of its rows, divided by theirs. The
-- shares of the classes that a row of the population matches add up to its presence; the result is the greatest one. Where classes do not
-- overlap, this is the upper limit of delta-presence. Values match if their texts are equal; NULL and '*' of tbl show nothing, so
-- all match. Text is compared byte by byte whatever the collation of the column, because the reader sees bytes. Generalized cells
-- are texts like any other: take the same cells for the population. The table has to be a part of the population.
--
-- Arguments:
--   tbl          VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                            'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi           VARCHAR[]   the quasi-identifiers, which the population has under the same names
--   population   VARCHAR     name of the table of the population, as tbl
--
-- Result columns (one row):
--   presence          DOUBLE    the greatest presence; 0 for an empty table, NULL where some class matches no row
--   parts             HUGEINT   the same in whole parts of 1 / unit, each share rounded up
--   unit              HUGEINT   5342931457063200000000000, the least common multiple of 1 to 40 times 10^9
--   classes           BIGINT    number of classes
--   unmatched         BIGINT    classes with more rows than match them in the population: the table is no part of it
--   rows              BIGINT    number of rows
--   population_rows   BIGINT    number of rows of the population
--
-- Source: Nergiz, Atzori, Clifton: Hiding the Presence of Individuals from Shared Databases, SIGMOD 2007.
-- Cost: one scan of both tables, and one GROUP BY of the population for each set of columns that rows show.
CREATE OR REPLACE MACRO delta_presence(tbl, qi := NULL, population := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#shown" AS MATERIALIZED (
         SELECT shown, size, system.main.row_number() OVER () AS class
         FROM (
             SELECT system.main.list_transform(shown, lambda cell: CASE WHEN cell <> ''*'' THEN cell END) AS shown,
                    system.main.count(*) AS size
             FROM (SELECT system.main.list_value(*COLUMNS(*)) AS shown
                   FROM (
                       @texts(SELECT {0} FROM {1} AS source)
                   ) AS source) AS rows
             GROUP BY 1
         ) AS rows
     ), "kanon#population" AS MATERIALIZED (
         SELECT person, many, system.main.row_number() OVER () AS id
         FROM (
             @people()
         ) AS people
     ), "kanon#seen" AS MATERIALIZED (
         SELECT class, id, many
         FROM (
             SELECT class, system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden,
                    system.main.create_sort_key(system.main.row(shown), ''ASC NULLS FIRST'') AS key
             FROM "kanon#shown"
         ) AS classes
         JOIN (
             SELECT id, hidden, many, system.main.create_sort_key(system.main.row(
                 system.main.list_transform(system.main.range(1, system.main.len(person) + 1),
                                            lambda place: CASE WHEN NOT hidden[place] THEN person[place] END)), ''ASC NULLS FIRST'') AS key
             FROM "kanon#population",
                  (SELECT DISTINCT system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden FROM "kanon#shown") AS masks
         ) AS people USING (hidden, key)
     ), "kanon#shares" AS MATERIALIZED (
         SELECT class, size, n, (size::HUGEINT * 5342931457063200000000000::HUGEINT + n - 1) // n AS share
         FROM "kanon#shown" AS shown
         LEFT JOIN (SELECT class, system.main.sum(many)::HUGEINT AS n FROM "kanon#seen" GROUP BY class) AS matched USING (class)
     ), "kanon#told" AS (
         SELECT CASE WHEN (SELECT coalesce(system.main.bool_and(n IS NOT NULL), true) FROM "kanon#shares")
                     THEN coalesce(system.main.max(total), 0)::HUGEINT END AS parts
         FROM (SELECT system.main.sum(share)::HUGEINT AS total FROM "kanon#seen" JOIN "kanon#shares" USING (class) GROUP BY id) AS sums
     )
     SELECT (SELECT parts / 5342931457063200000000000::DOUBLE FROM "kanon#told") AS presence,
            (SELECT parts FROM "kanon#told") AS parts,
            5342931457063200000000000::HUGEINT AS unit,
            system.main.count(*) AS classes,
            system.main.count(*) FILTER (size > coalesce(n, 0)) AS unmatched,
            coalesce(system.main.sum(size), 0)::BIGINT AS "rows",
            (SELECT coalesce(system.main.sum(many), 0)::BIGINT FROM "kanon#population") AS population_rows
     FROM "kanon#shares"',
    @quasi_identifiers(system.main.error('kanon: qi is missing (name the columns that the population shares with the table)'); name the columns that the population shares with the table),
    @table(tbl),
    @table(population),
    @built_in()
));
