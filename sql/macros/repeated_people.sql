-- repeated_people(tbl, qi := NULL): the columns whose values are people with several rows, each with the evidence.
--
-- Where a person has several rows, k >= 5 can be met by one person with five rows. A row of the result means: count people instead of
-- rows. No row means that nothing was found, not that each row is a person. The result holds no cell value.
--
-- Rows with the same value of such a column agree on what identifies a person, and other rows do not. The personal columns are those
-- in qi, and those that seem so by their names, in eight languages: birth date and age, sex, marital status, job, nationality, income,
-- address. A personal column is shared if, of rows next to each other within a value, in random order, at least 90 % agree on it,
-- and at most 70 % of all pairs of rows do. Both shares are their exact expectations, so no order is drawn. Ages and years of service
-- agree within a year. A pair counts if both rows have a value, and at least 30 have to; NULL is not a value of the column either.
--
-- Columns on one topic (zip, city; birth date, age) count once, and a column counts with a coarser one that determines it. Columns on the
-- topic of the column itself, other names of its values, and columns on which nearly all pairs agree do not count. A column with at least
-- ten values repeats people if it shares three topics or more, or all of at least two, and at least two thirds of them; if the sum of
-- log2(1 / share of all pairs that agree) is at least 6 bits; and unless its rows differ in birth date or sex about as any two rows do.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi    VARCHAR[]   columns that are personal whatever their names
--
-- Result columns (one row per column that repeats people, those with most rows first):
--   column   VARCHAR
--   people   BIGINT      its values
--   rows     BIGINT      rows with a value
--   shared   VARCHAR[]   the personal columns that its rows share
--   bits     DOUBLE      how much agreement that is
--
-- Cost: two scans and a GROUP BY of about a million cells. Of a table with more, a part is drawn by a hash, the same each time; people and
-- rows are exact.
CREATE OR REPLACE MACRO repeated_people(tbl, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH @people_repeated({0} AS source; {1})
     SELECT name AS "column", people, "rows", shared, bits
     FROM "kanon#repeated"
     WHERE EXISTS (SELECT {2} FROM {0} AS source WHERE false) IS NOT NULL  -- qi names columns of the table
     ORDER BY "rows" DESC NULLS LAST, people DESC NULLS LAST, place ASC NULLS LAST',
    @table(tbl),
    @list_literal(coalesce(qi::VARCHAR[], system.main.list_value()::VARCHAR[]); system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
    ,
    @quasi_identifiers('true'; leave it out if no other column is personal)
    ,
    @built_in()
));
