-- shown_types(): the CTE of what each row type shows: its columns, and the labels of those with levels.

system.main.concat('"kanon shown" AS MATERIALIZED (
         ',
    CASE
        WHEN system.main.len(system.main.struct_extract(given, 'levelled')) = 0
        THEN 'SELECT types.type, types.size, types.cells, masks.shown
              FROM "kanon repaired" AS repaired
              JOIN "kanon types" AS types ON types.type = repaired.type
              LEFT JOIN "kanon masks" AS masks ON masks.mask = repaired.mask'
        ELSE system.main.format(
            -- the cell comes first: a join by types alone would pair each type with every label
            'WITH "kanon finest" AS MATERIALIZED (
                 SELECT repaired.type, finest.place, finest.rung,
                        system.main.list_extract(types.cells, system.main.add(finest.place, 1)) AS cell
                 FROM "kanon repaired" AS repaired
                 JOIN "kanon types" AS types ON types.type = repaired.type
                 JOIN (
                     SELECT mask, place, system.main.min(rung)
                     FROM (SELECT mask, system.main.unnest(shown) FROM "kanon masks") AS masks(mask, position)
                     JOIN "kanon ladder" AS ladder ON ladder.position = masks.position
                     GROUP BY 1, 2
                 ) AS finest(mask, place, rung) ON finest.mask = repaired.mask
             )
             SELECT types.type, types.size, types.cells, system.main.list_transform(masks.shown, lambda position:
                        system.main.list_extract(columns, system.main.add(position, 1)))
                        AS shown, {0}
             FROM "kanon repaired" AS repaired
             JOIN "kanon types" AS types ON types.type = repaired.type
             LEFT JOIN "kanon masks" AS masks ON masks.mask = repaired.mask
             CROSS JOIN (SELECT system.main.list(place ORDER BY position ASC NULLS LAST) FROM "kanon ladder") AS ladder(columns)
             LEFT JOIN (
                 SELECT finest.type, {1}
                 FROM "kanon finest" AS finest
                 JOIN "kanon labels" AS labels ON labels.place = finest.place AND labels.rung = finest.rung
                     AND labels.cell = finest.cell
                 GROUP BY 1
             ) AS labels ON labels.type = repaired.type',
            system.main.list_aggregate(system.main.list_transform(system.main.struct_extract(given, 'levelled'),
                lambda place: system.main.format('labels.label{0}', place)), 'string_agg', ', '),
            system.main.list_aggregate(system.main.list_transform(system.main.struct_extract(given, 'levelled'),
                lambda place: system.main.format(
                'system.main.max(labels.label) FILTER (labels.place = {0}) AS label{0}', place)), 'string_agg', ', '))
    END,
    '
     ),')
