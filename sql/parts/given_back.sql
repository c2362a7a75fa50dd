-- given_back(): the CTEs of the cells that columns without a role give back, and of whether they are too many.

CASE WHEN keep IS NOT NULL OR system.main.struct_extract(given, 'limit') = 1000000000000000000 THEN '"kanon unlisted" AS (SELECT true AS bearable),'
ELSE system.main.format(
    '-- The number of what each row type has in each quasi-identifier, and of each of these how many cells are suppressed, wholly or by a label.
     "kanon own" AS (
         {0}
     ),
     "kanon known" AS MATERIALIZED (
         SELECT qi, code, system.main.sum(size) AS "rows", coalesce(system.main.sum(size) FILTER ({1}), 0) AS cells
         FROM "kanon own" AS own JOIN "kanon shown" AS class ON class.type = own.type
         WHERE (SELECT system.main.len(names) > 1 FROM "kanon names")
         GROUP BY qi, code
     ),
     -- A cell is guessed from the other rows with the same value of a column, where at least 95 of 100 agree: then the guesses are right of the
     -- commonest value alone, and wrong of all others (of two rows that differ, of both).
     "kanon guessed" AS (
         SELECT place, qi, size, CASE
                    WHEN system.main.multiply(system.main.subtract(top, 1), 100) >= system.main.multiply(system.main.subtract(size, 1), 95)
                    THEN top_cells ELSE 0
                END AS hit, CASE
                    WHEN system.main.multiply(top, 100) < system.main.multiply(system.main.subtract(size, 1), 95) THEN 0
                    WHEN top = 1 THEN cells ELSE system.main.subtract(cells, top_cells)
                END AS miss
         FROM (
             SELECT value, place, qi, system.main.sum(size) AS size, system.main.sum(cells) AS cells, system.main.max(size) AS top,
                    system.main.arg_max(cells, size) AS top_cells
             FROM (
                 SELECT value, place, alike.qi, size,
                        system.main."/"(system.main.multiply(size::DOUBLE, cells), "rows") AS cells
                 FROM (
                     SELECT held.value, held.place, qi, code, system.main.sum(held.size)::BIGINT AS size
                     FROM "kanon held" AS held
                     JOIN "kanon alike" AS alike ON alike.place = held.place AND alike.value = held.value
                     JOIN (SELECT type, system.main.hash(cells) AS own FROM "kanon types") AS types ON types.own = held.own
                     JOIN "kanon own" AS own ON own.type = types.type
                     WHERE held.place > 0 AND alike > 1
                     GROUP BY held.value, held.place, qi, code
                 ) AS alike
                 JOIN "kanon known" AS known ON known.qi = alike.qi AND known.code = alike.code
             ) AS cells
             GROUP BY value, place, qi
         ) AS groups
     ),
     "kanon giving" AS MATERIALIZED (
         @guessed_cells({2}; {3})
     ),
     "kanon unlisted" AS MATERIALIZED (
         @bearable("kanon giving")
     ),',
    -- {0} the numbers of the values: without levels, the codes are these
    CASE
        WHEN system.main.len(system.main.struct_extract(given, 'levelled')) = 0 THEN 'SELECT type, position AS qi, code FROM "kanon codes"'
        ELSE system.main.format(
            'SELECT type, qi, system.main.dense_rank() OVER (PARTITION BY qi ORDER BY cell ASC NULLS LAST) AS code
             FROM (
                 SELECT type, system.main.unnest(cells), system.main.unnest(system.main.range({0})) FROM "kanon types"
             ) AS cells(type, cell, qi)', coalesce(system.main.len(qi::VARCHAR[]), 0))
    END,
    -- {1} whether a row type does not show a quasi-identifier, or only a label
    system.main.concat('NOT system.main.list_contains(class.shown, qi)', system.main.list_aggregate(system.main.list_transform(
        system.main.struct_extract(given, 'levelled'), lambda place: system.main.format(
            ' OR qi = {0} AND system.main.decode(class.label{0}) IS DISTINCT FROM CASE
                  WHEN system.main.list_extract(class.cells, {1}) <> ''''::BLOB
                  THEN system.main.substring(system.main.decode(system.main.list_extract(class.cells, {1})), 2) END',
            place, system.main.add(place, 1))), 'string_agg', '')),
    system.main.greatest(500000000000000000, system.main.struct_extract(given, 'limit')),
    -- {3} the names of the quasi-identifiers
    coalesce(system.main.format('system.main.list_value({})', system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[],
        lambda name: system.main.concat('''', system.main.replace(CASE
            WHEN system.main.regexp_full_match(name, '[A-Za-z_][A-Za-z0-9_]*') THEN name
            ELSE system.main.concat('"', system.main.replace(name, '"', '""'), '"') END, '''', ''''''), '''')),
        'string_agg', ', ')), '')
) END
