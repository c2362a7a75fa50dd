-- row_types(): the CTEs of the row types, counted only if nothing was refused; their ladders, codes and masks; and with a guarantee, the values of the
-- sensitive column in their order, and how many rows of each row type have each of them.

system.main.format(
    '"kanon types" AS MATERIALIZED (
         SELECT system.main.row_number() OVER (ORDER BY cells ASC NULLS LAST) AS type, cells, size
         FROM (
             SELECT system.main.list_value({0}), system.main.count(*) FROM "kanon source" AS source
             WHERE (SELECT settled FROM "kanon settled") AND (SELECT bearable FROM "kanon singled")
             GROUP BY 1
         ) AS types(cells, size)
     ),
     {2},
     "kanon sensitive" AS MATERIALIZED (
         SELECT value, total, system.main.row_number() OVER (ORDER BY value ASC NULLS LAST) AS number
         FROM (SELECT {1}, system.main.count(*) FROM "kanon source" AS source GROUP BY 1) AS sensitive(value, total)
     ),
     "kanon pairs" AS MATERIALIZED (
         SELECT types.type, number, total, system.main.count(*) AS n
         FROM (SELECT system.main.list_value({0}), {1} FROM "kanon source" AS source) AS source(own, has)
         JOIN "kanon types" AS types ON cells = own
         JOIN "kanon sensitive" AS sensitive ON value IS NOT DISTINCT FROM has
         GROUP BY 1, 2, 3
     ),
     "kanon totals" AS MATERIALIZED (
         SELECT system.main.sum(total)::HUGEINT AS "rows", system.main.count(*) AS different,
                system.main.list(below::HUGEINT ORDER BY number ASC NULLS LAST) AS below
         FROM (
             SELECT number, total, system.main.sum(total) OVER (ORDER BY number ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS below
             FROM "kanon sensitive"
         ) AS sensitive
     ),',
    system.main.struct_extract(given, 'cells'), system.main.struct_extract(given, 'sensitive'),
    CASE WHEN system.main.len(system.main.struct_extract(given, 'levelled')) = 0 THEN
        @ladder_of_columns()
    ELSE
        @ladder_of_levels()
    END
)
