-- imputed_columns(tbl, qi, seed := 1, hierarchies := NULL, suppress := '*'): imputed(), for these columns.
--
-- Arguments:
--   tbl, seed, hierarchies, suppress   as for imputed()
--   qi   VARCHAR[]   the columns whose cells are drawn, and by which donors are found; at most 60
--
-- Result columns: those of tbl
--
-- Cost: tbl is read once. Its distinct rows are grouped once for each distinct set of columns that a row shows.
CREATE OR REPLACE MACRO imputed_columns(tbl, qi, seed := 1, hierarchies := NULL, suppress := '*') AS TABLE
FROM system.main.query(system.main.format(
    'WITH RECURSIVE @label_shares()
     ,
     -- Each row by codes: m is the set of columns that show a value, and donor_key stands for these values.
     "kanon#coded" AS MATERIALIZED (
         SELECT *, {9} AS m, {10} AS donor_key
         FROM (SELECT "kanon#source", "kanon#row", {7} FROM "kanon#released" AS rows_of {8}) AS coded
     ),
     "kanon#types" AS MATERIALIZED (
         SELECT * EXCLUDE ("kanon#source", "kanon#row"), system.main.count(*) AS n FROM "kanon#coded" GROUP BY ALL
     ),
     -- What a missing cell may be: its column, its code, and the row''s other values.
     "kanon#wanted" AS MATERIALIZED ({11}),
     -- Rows that show at least the same values, and their value in the column: the donors.
     "kanon#donors" AS MATERIALIZED (
         SELECT masks.m AS mask, {12} AS donor_key, types.* EXCLUDE (m, donor_key)
         FROM (SELECT DISTINCT m FROM "kanon#wanted") AS masks
         JOIN "kanon#types" AS types ON {19}
         SEMI JOIN (SELECT DISTINCT m, donor_key FROM "kanon#wanted") AS asked ON asked.m = masks.m AND asked.donor_key = {12}
     ),
     "kanon#given" AS MATERIALIZED ({13}),
     "kanon#possible" AS MATERIALIZED (
         SELECT position, code, bin FROM "kanon#read" WHERE code < 0
         UNION ALL
         SELECT shown.position, codes.code, shown.bin
         FROM "kanon#shown" AS shown
         JOIN "kanon#codes" AS codes ON codes.position = shown.position
         WHERE codes.code < 0 AND shown.bin > 0 AND codes.code NOT IN (SELECT code FROM "kanon#read")
     ),
     "kanon#weights" AS MATERIALIZED (
         SELECT wanted.*, possible.bin AS bin,
                coalesce(given.n, 0) AS donated, coalesce(shown.share, 0) * (SELECT system.main.count(*) FROM "kanon#released") + 0.5 AS elsewhere
         FROM "kanon#wanted" AS wanted
         JOIN "kanon#possible" AS possible ON possible.position = wanted.position AND possible.code = wanted.code
         LEFT JOIN "kanon#given" AS given ON given.mask = wanted.m AND given.donor_key = wanted.donor_key
             AND given.position = wanted.position AND given.bin = possible.bin
         LEFT JOIN "kanon#shown" AS shown ON shown.position = wanted.position AND shown.bin = possible.bin
     ),
     -- The shares of the values are drawn too, from the gamma distributions of their counts (by Wilson and Hilferty, and Box and Muller):
     -- between imputations they differ as much as the donors leave open.
     "kanon#drawn weights" AS MATERIALIZED (
         SELECT m, donor_key, position, code, bin,
                n * system.main.pow(system.main.greatest(0, 1 - 1 / (9 * n) + z / (3 * system.main.sqrt(n))), 3) AS weight
         FROM (
             SELECT *, system.main.sqrt(-2 * system.main.ln(1 - system.main.hash({14}, 1, m, donor_key, position, code, bin) / 18446744073709551616.0))
                       * system.main.cos(2 * system.main.pi() * (system.main.hash({14}, 2, m, donor_key, position, code, bin) / 18446744073709551616.0)) AS z
             FROM (
                 SELECT *, CASE WHEN system.main.sum(donated) OVER (PARTITION BY m, donor_key, position, code) > 0 THEN donated ELSE elsewhere END AS n
                 FROM "kanon#weights"
             ) AS counted
             WHERE n > 0
         ) AS counted
     ),
     "kanon#choices" AS MATERIALIZED (
         SELECT m, donor_key, position, code, system.main.list(bin ORDER BY bin ASC NULLS LAST) AS bins,
                system.main.list(upto ORDER BY bin ASC NULLS LAST) AS upto
         FROM (
             SELECT m, donor_key, position, code, bin,
                    system.main.sum(weight) OVER (PARTITION BY m, donor_key, position, code ORDER BY bin ASC NULLS LAST)
                        / system.main.sum(weight) OVER (PARTITION BY m, donor_key, position, code) AS upto
             FROM "kanon#drawn weights"
         ) AS summed
         GROUP BY ALL
     )
     SELECT * EXCLUDE ({17}) REPLACE ({18})
     FROM (
         SELECT system.main.unnest("kanon#source"), {15}
         FROM "kanon#coded" AS coded {16}
         ORDER BY "kanon#row" ASC NULLS LAST
     ) AS drawn',
    CASE
        WHEN qi IS NULL THEN system.main.error('kanon: qi is missing (name the columns to impute: [''zip'', ''age''])')
    @checked_columns(name the columns to impute)
        WHEN system.main.len(qi::VARCHAR[]) > 60 THEN system.main.error('kanon: qi has more than 60 columns (name fewer)')
        WHEN seed IS NULL THEN system.main.error('kanon: seed is a whole number')
        ELSE ''
    END || @list_literal(qi::VARCHAR[]; name)
    ,
    system.main.concat('source AS "kanon#source", system.main.row_number() OVER () AS "kanon#row", ', system.main.replace(
        @numbered_columns(system.main.nullif(system.main.encode(@text_of(source.{1})), system.main.encode(:suppress)) AS c{0}; , ; qi::VARCHAR[])
        , ':suppress',
        @suppress_literal()
        )),
    @table(tbl)
    ,
    '(SELECT 1 AS unused)',
    -- a text in the form of a label is no value, nor is what is above others in a hierarchy; the ends of an interval and the leaves are
    system.main.concat('
         WITH nodes AS MATERIALIZED (
             SELECT position, system.main.list_transform(cells, lambda cell: cell.label) AS labels, cells[1].form = ''level'' AS levels
             FROM (', @trees()
             , ') AS trees
             JOIN "kanon#columns" AS named
                 ON system.main.translate(named.name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')
                     = system.main.translate(trees.name, ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')
         ),
         leaves AS (
             SELECT position, labels[1] AS label FROM nodes WHERE labels[1] IS NOT NULL
             EXCEPT
             SELECT position, labels[2] FROM nodes WHERE NOT levels AND labels[2] IS DISTINCT FROM labels[1]
         )
         SELECT cells.position, cells.symbol, released_rows, CASE WHEN above.label IS NULL THEN original_rows ELSE 0 END
         FROM (',
        @numbered_columns(SELECT {0}, c{0}, n, CASE WHEN system.main.regexp_full_match(system.main.decode(c{0}), ''(?s:[{{\[].*[}}\]\)]( or NULL)?|.*[*])|[0-9]{{4}}-Q[1-4]|[0-9]{{3}}0s|[\(]-?[0-9]+([.][0-9]+)?, -?[0-9]+([.][0-9]+)?[\)]|-?[0-9]+([.][0-9]+)?[+]|<=?-?[0-9]+([.][0-9]+)?'') THEN 0 ELSE n END FROM (SELECT c{0}, system.main.count(*) AS n FROM "kanon#released" GROUP BY c{0}) AS seen WHERE c{0} IS NOT NULL UNION ALL SELECT {0}, NULL, system.main.count(*), 0 FROM "kanon#released" WHERE c{0} IS NULL HAVING system.main.count(*) > 0 UNION ALL SELECT {0}, system.main.encode(ends), 0, 0.5 FROM (SELECT DISTINCT system.main.unnest(system.main.regexp_extract_all(system.main.decode(c{0}), ''-?[0-9]+([.][0-9]+)?(e[+-]?[0-9]+)?'')) AS ends FROM "kanon#released" WHERE system.main.regexp_full_match(system.main.decode(c{0}), ''\[-?[0-9][0-9.e+-]*, -?[0-9][0-9.e+-]*\]|-?[0-9.]+[+]|<=-?[0-9.]+'')) AS closed;  UNION ALL ; qi::VARCHAR[])
        , ') AS cells(position, symbol, released_rows, original_rows)
         LEFT JOIN (
             SELECT position, label FROM (SELECT position, system.main.unnest(labels[2:]) AS label FROM nodes) AS above
             EXCEPT
             FROM leaves
         ) AS above ON above.position = cells.position AND above.label = cells.symbol
         UNION ALL
         SELECT position, label, 0, 0.5 FROM leaves')
    ,
    @trees()
    ,
    9000000000,
    @numbered_columns(codes{0}.code AS c{0}; , ; qi::VARCHAR[])
    ,
    @numbered_columns(JOIN (SELECT symbol, code FROM "kanon#codes" WHERE position = {0}) AS codes{0} ON codes{0}.symbol IS NOT DISTINCT FROM rows_of.c{0};  ; qi::VARCHAR[])
    ,
    @numbered_columns(CASE WHEN c{0} > 0 THEN 1::UBIGINT << ({0} - 1) ELSE 0 END; + ; qi::VARCHAR[])
    ,
    coalesce(system.main.list_reduce(system.main.list_transform(system.main.range(1, system.main.len(qi::VARCHAR[]) + 1), lambda i: system.main.format(
        'CASE WHEN c{0} > 0 THEN system.main.hash({0}, c{0}) ELSE 0::UBIGINT END', i)),
        lambda one, two: system.main.format('system.main.xor({}, {})', one, two)), ''),
    @numbered_columns(SELECT DISTINCT m, donor_key, {0} AS position, c{0} AS code FROM "kanon#types" WHERE c{0} < 0;  UNION ALL ; qi::VARCHAR[])
    ,
    coalesce(system.main.list_reduce(system.main.list_transform(system.main.range(1, system.main.len(qi::VARCHAR[]) + 1), lambda i: system.main.format(
        'CASE WHEN masks.m // (1::UBIGINT << ({0} - 1)) % 2 = 1 THEN system.main.hash({0}, types.c{0}) ELSE 0::UBIGINT END', i)),
        lambda one, two: system.main.format('system.main.xor({}, {})', one, two)), ''),
    @numbered_columns(SELECT mask, donor_key, {0} AS position, bin, system.main.sum(n * share) AS n FROM "kanon#donors" JOIN "kanon#read" AS read ON read.position = {0} AND read.code = c{0} WHERE mask // (1::UBIGINT << ({0} - 1)) % 2 = 0 AND bin > 0 GROUP BY ALL;  UNION ALL ; qi::VARCHAR[])
    ,
    coalesce(seed::BIGINT, 0),
    @numbered_columns(c{0} AS "kanon#code{0}", values{0}.symbol AS "kanon#value{0}"; , ; qi::VARCHAR[])
    ,
    system.main.replace(
        @numbered_columns(LEFT JOIN (SELECT * FROM "kanon#choices" WHERE position = {0}) AS choices{0} ON choices{0}.m = coded.m AND choices{0}.donor_key = coded.donor_key AND choices{0}.code = coded.c{0} LEFT JOIN (SELECT bin, symbol FROM "kanon#bins" WHERE position = {0}) AS values{0} ON values{0}.bin = choices{0}.bins[1 + system.main.len(system.main.list_filter(choices{0}.upto, lambda x: x < system.main.hash(:seed, 3, "kanon#row", {0}) / 18446744073709551616.0))];  ; qi::VARCHAR[])
        , ':seed', coalesce(seed::BIGINT, 0)::VARCHAR),
    @numbered_columns("kanon#code{0}", "kanon#value{0}"; , ; qi::VARCHAR[])
    ,
    @numbered_columns(CASE WHEN "kanon#code{0}" < 0 AND "kanon#value{0}" IS NOT NULL THEN system.main.cast_to_type(system.main.decode("kanon#value{0}"), drawn.{1}) ELSE drawn.{1} END AS {1}; , ; qi::VARCHAR[])
    ,
    @numbered_columns((types.c{0} > 0 OR masks.m // (1::UBIGINT << ({0} - 1)) % 2 = 0);  AND ; qi::VARCHAR[])
    ,
    @built_in()
));
