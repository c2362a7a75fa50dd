-- k_anonymize(tbl, k, qi := NULL, masks := NULL, keep := NULL, unlisted_limit := 0.2): a k-anonymous release that suppresses few cells, in any DuckDB client, without Python.
--
-- Row types (the distinct combinations of quasi-identifiers) go to the cheapest mask under which at least k rows show the same: the
-- pattern-guided greedy of Bredereck, Nichterlein and Niedermeier (2013). Row types that are left over each take a class with
-- them, whole, at the least cost. A row type is never split, so what a row shows depends on the quasi-identifiers alone; rows come
-- in the order of what is released of them. Neither tells anything of what is suppressed, so no secret is needed, and the same
-- table always gives the same release.
--
-- The rows that are handed out are counted before: it is an error, and nothing is released, if a class has fewer than k rows, or
-- if some rows fit no mask. `kanon_sql.register` puts the function of the Python package in the place of this one, which
-- suppresses less, proves how close that is to the least, and has no limit of columns.
--
-- Text is compared byte by byte, whatever the collation. Other values are the same if SQL calls them equal: 0.0 and -0.0, or one month
-- and 30 days. The release then shows one look in all of these rows, the one whose text is last. Values of a UNION or VARIANT must also
-- have the same type. NULL is a value like any other.
--
-- Without keep, a column that is not in qi has no role. Nothing is released if such a column
--   singles out more than unlisted_limit of the rows (fewer than 50 rows count as 50), or more than half of them. A row is singled out
--     if no other row has its value; NULL counts as a value.
--   gives back more than half of the suppressed cells of a quasi-identifier. An attacker guesses a cell from the other rows with the same
--     value of the column, if 95 of 100 of them agree. Guesses count if at most 5 of 100 are wrong, and at most half as many as if the
--     attacker always took the most common value.
-- Nothing is released either if all columns without a role together single out more than half of the rows. A higher unlisted_limit takes the
-- place of the half. All rows are counted. Below the limits there is no warning: unique_columns() shows the shares.
-- With keep, every column needs a role, and those in keep are never an error.
--
-- A mask may show a column at levels that need no table: leading characters, 981** (zip IN DIGITS (3)), intervals of numbers,
-- [30, 40) (age IN INTERVALS (5, 10)), or of dates, 2026-Q4 (born IN INTERVALS (month, quarter)). Labels, levels and what they lose
-- are those of the Python package: an interval is cut where one of a wider width of the column ends, a mask that names the column
-- alone permits all levels that other masks list, and the loss of a level is the share of the other values of its column that the
-- label of a row also stands for, in thousandths of a cell. To the greedy a level is a column of its own, which a mask shows together
-- with all that are coarser. Classes are counted by the labels that rows show.
--
-- Arguments:
--   tbl     VARCHAR       name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                         'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL, and read once.
--   k       BIGINT        least rows of a class
--   qi      VARCHAR[]     the quasi-identifiers, at most 12, each level counted. Other columns are released unchanged. NULL takes every
--                         column that is not in keep; the columns of a CTE have to be named.
--   masks   VARCHAR[][]   lists of the columns that are shown together, maybe at levels: [['zip IN DIGITS (3)', 'age'], ['age'], []].
--                         NULL permits every combination.
--   keep    VARCHAR[]     the columns that are released unchanged on purpose; then all others have to be in qi
--   unlisted_limit        without keep: share of the rows, 0 to 1, that a column without a role may single out; 1 permits every column
--
-- Result columns:
--   those of tbl, with their names, order and types; suppressed cells are NULL. An ENUM in qi becomes VARCHAR, because its type
--   would list what is suppressed; an ENUM inside of a list or struct is an error. A column with levels becomes VARCHAR, under
--   the name that qi has for it.
--
-- Errors, beside those above: levels of another kind, or INTERVALS without widths; a column with INTERVALS has values that are no
-- numbers or dates (they are counted, none is named), or one of more than 36 digits.
--
-- Cost: one scan of tbl, one GROUP BY, and for each mask (2^12 at most) one GROUP BY of the row types that are left; for unlisted columns
-- one GROUP BY of their cells, and one of as many cells for each quasi-identifier.
CREATE OR REPLACE MACRO k_anonymize(tbl, k, qi := NULL, masks := NULL, keep := NULL, unlisted_limit := 0.2) AS TABLE
FROM system.main.query(system.main.format('FROM greedy_release({}, {}, {}, {}, {}, {})',
    coalesce(@literal(tbl::VARCHAR), 'NULL'),
    coalesce(@literal(k::VARCHAR), 'NULL'),
    CASE
        WHEN qi IS NOT NULL
        THEN @list_literal(qi::VARCHAR[]; name)
        -- all that are not in keep, as the plan of a DESCRIBE lists them; only this text needs the extension json
        ELSE system.main.format(
            'system.main.flatten(system.main.list_transform(
                 system.main.list_value(system.main.list_filter(
                     system.main.json_extract_string(system.main.json_serialize_plan({}),
                         ''$.plans[0].children[0].children[0].collection.values[0][*].value''),
                     lambda name: NOT system.main.list_contains({}, system.main.translate(
                         name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')))),
                 lambda names: CASE WHEN system.main.len(names) > 0 THEN names
                     ELSE system.main.error(''kanon: qi is missing, and the columns of tbl cannot be listed, or all are in keep ''
                         ''(name the quasi-identifiers: qi := [''''zip'''', ''''age''''])'') END))',
            system.main.concat('''FROM (DESCRIBE FROM ', system.main.replace(
                @table(tbl)
                , '''', ''''''), ')'''),
            @list_literal(keep::VARCHAR[]; system.main.translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')))
    END,
    CASE WHEN masks IS NOT NULL THEN system.main.format('system.main.list_value({})::VARCHAR[][]', coalesce(system.main.list_aggregate(
        system.main.list_transform(masks::VARCHAR[][], lambda mask: CASE WHEN mask IS NULL THEN 'NULL'
            ELSE @list_literal(mask; name) END), 'string_agg', ', '), '')) ELSE 'NULL' END,
    -- without qi, every column needs a role: a CTE may hide the table that was described
    CASE WHEN keep IS NOT NULL OR qi IS NULL THEN @list_literal(keep::VARCHAR[]; name) ELSE 'NULL' END,
    coalesce(@literal(unlisted_limit::VARCHAR), 'NULL')
));
