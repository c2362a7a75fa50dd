-- repeated_people(tbl, qi := NULL): the columns whose values are people with several rows, each with the evidence.
--
-- Where a person has several rows, k >= 5 can be met by one person with five rows. A row of the result means: count people instead of
-- rows. No row means that nothing was found, not that each row is a person. The result holds no cell value.
--
-- Rows with the same value of such a column agree on what identifies a person, and other rows do not. The personal columns are those
-- in qi, and those that seem so by their names, in eight languages: birth date and age, sex, marital status, job, nationality, income,
-- address. Rows with the same value are put in a random order that does not depend on the table. A personal column is shared if at least 90 %
-- of the neighbours agree on it, and at most 70 % of random pairs of rows that differ in the column do. Ages agree within a year. A pair
-- counts if both rows have a value; NULL is not a value of the column either.
--
-- Columns on one topic (zip, city; birth date, age) count once, and a column counts with a shared one that has few values and determines it. A
-- column with at least ten values and 30 pairs repeats people if it shares at least three topics, or all of at least two, and at least two
-- thirds of them; if the sum of log2(1 / share of random pairs that agree) is at least 6 bits; and unless its rows differ in birth date or
-- sex about as any two rows do. Less is enough for a column that looks like a number of people, an e-mail address, a log-in or a birth date:
-- three values, ten pairs of which 80 % agree, or 60 % if hardly any random pairs do, and one topic if no other differs. Other personal columns, and dates of events, tell nobody
-- apart. If there is no such column, two columns are tried together, of at most eight without a topic. If one of them looks like an identifier, the
-- evidence for such a column is enough; else they have to share three topics, in a table of up to 8191 rows. Then an address and names are tried.
-- Names repeat people even if others share them: a fifth of the neighbours has to agree on everything personal.
--
-- Arguments:
--   tbl   VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                     'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi    VARCHAR[]   columns that are personal whatever their names
--
-- Result columns (one row per column that repeats people, the one to count people by first):
--   column   VARCHAR     its name, or two names with a comma between
--   people   BIGINT      its values
--   rows     BIGINT      rows with a value
--   shared   VARCHAR[]   the personal columns that its rows share, one for each topic
--   bits     DOUBLE      how much agreement that is
--
-- Cost: three scans, and a sort of at most 16384 rows for each column. Of a table with more than 8191 rows, at most so many are drawn by a hash, and of
-- columns with many values all rows of some values; people and rows are then estimates.
CREATE OR REPLACE MACRO repeated_people(tbl, qi := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH @recognized({0} AS source),
     @people_repeated({0} AS source; {1})
     SELECT system.main.list_aggregate(key, ''string_agg'', '', '') AS "column", people, "rows", shared, bits
     FROM "kanon#repeated"
     WHERE EXISTS (SELECT {2} FROM {0} AS source WHERE false) IS NOT NULL  -- qi names columns of the table
     ORDER BY born ASC NULLS LAST, identifying DESC NULLS LAST, "full" DESC NULLS LAST, people ASC NULLS LAST, "rows" DESC NULLS LAST, place ASC NULLS LAST',
    @table(tbl),
    @list_literal(coalesce(qi::VARCHAR[], system.main.list_value()::VARCHAR[]); system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))
    ,
    @quasi_identifiers('true'; leave it out if no other column is personal)
    ,
    @built_in()
));
