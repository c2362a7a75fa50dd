-- imputed(tbl, seed := 1, qi := NULL, hierarchies := NULL, suppress := '*'): a release with a value drawn for each suppressed or generalized cell.
--
-- Only the release is read, so its guarantee is untouched. A cell is drawn from the donors of its row: the rows that show the same values as
-- the row, wherever it shows one. A suppressed cell takes a value that they show in the column. A label takes one that it covers. Donors
-- with a label count for each value that it covers, by equal shares. Without donors, all rows of the release are.
-- The ends of [17, 23] and of 90+ count as values. A label that covers no value of the column is as good as suppressed. Cells of one row are drawn
-- independently of each other. Draw several times, with different seeds, and combine the results by the rules of Rubin: the shares of the
-- values are drawn from their posterior distribution, so the draws differ as much as the release leaves open.
--
-- The same table, in the same order of its rows, and the same seed give the same cells.
--
-- Arguments:
--   tbl        VARCHAR     name of the release: a table, view, CTE or quoted file, optionally qualified. It is read as an identifier,
--                          never as SQL.
--   seed       BIGINT      another seed draws other cells
--   qi         VARCHAR[]   the columns whose cells are drawn, and by which donors are found, at most 60; NULL takes every column. The
--                          columns of a CTE have to be named. Leave out columns that single rows out: such rows have no donors.
--   hierarchies   MAP      of VARCHAR to VARCHAR: the tables of hierarchies, as for utility(). A label takes the values below it.
--   suppress   VARCHAR     the text of suppressed cells besides NULL; NULL: there is none
--
-- Result columns: those of tbl, with their names, order and types. A cell stays NULL if its column shows nothing at all.
--
-- Cost: tbl is read once. Its distinct rows are grouped once for each distinct set of columns that a row shows.
CREATE OR REPLACE MACRO imputed(tbl, seed := 1, qi := NULL, hierarchies := NULL, suppress := '*') AS TABLE
FROM system.main.query(system.main.format(
    'FROM imputed_columns({0}, {1}, {2}, {3}, {4})',
    coalesce(@literal(tbl::VARCHAR), 'NULL'),
    @named_columns(tbl; impute)
    ,
    coalesce(seed::BIGINT::VARCHAR, 'NULL'),
    @map_literal(hierarchies)
    ,
    @suppress_literal()
    ,
    @built_in()
));
