-- released_rows(): the rows of the release, after they are audited.

system.main.format(
    '"kanon released" AS {0}MATERIALIZED (
         -- a UNION ALL at the top of a CTE would keep an ENUM, so it is inside of a subquery
         SELECT *
         FROM (
             -- names as in the source, whatever the case of those in qi
             SELECT CASE WHEN COLUMNS(''(?s)^(.*)$'') IS NULL THEN NULL END AS "\1"
             FROM (SELECT * {10}FROM "kanon source" AS source) AS source
             WHERE false
             UNION ALL
             SELECT * {10}{1} FROM "kanon source" AS source WHERE false
             UNION ALL
             SELECT source.* {10}REPLACE ({2})
             FROM "kanon source" AS source
             LEFT JOIN "kanon shown" AS class ON class.cells = system.main.list_value({3})
             WHERE CASE WHEN class.shown IS NOT NULL THEN true
                       ELSE system.main.error(''kanon: rows are left over that fit no class of at least {4} rows{5}; nothing was released ''
                           ''(choose a smaller k, or permit the mask [])'')
                   END
                 AND (SELECT bearable FROM "kanon unlisted")
         ) AS source
     ),
     "kanon audited" AS (
         SELECT system.main.bool_and(coalesce({6}, false)) AS kept
         FROM (
             SELECT class, system.main.list(n ORDER BY number ASC NULLS LAST) AS counts,
                    system.main.list(number ORDER BY number ASC NULLS LAST) AS places,
                    system.main.list(total ORDER BY number ASC NULLS LAST) AS held, system.main.sum(n) AS size
             FROM (
                 SELECT class, n, system.main.dense_rank() OVER (ORDER BY value ASC NULLS LAST) AS number,
                        system.main.sum(n) OVER (PARTITION BY value) AS total
                 FROM (
                     SELECT system.main.list_value({3}) AS class, {7} AS value, system.main.count(*) AS n
                     FROM "kanon released" AS source
                     GROUP BY 1, 2
                 ) AS pairs
             ) AS pairs
             GROUP BY class
         ) AS classes
         CROSS JOIN "kanon totals" AS totals
     )
     SELECT *
     FROM "kanon released" AS source
     QUALIFY CASE
         WHEN {8}
             THEN system.main.error(''kanon: a quasi-identifier is an ENUM inside of another type, which would list what is ''
                      ''suppressed (cast it to VARCHAR)'')
         WHEN system.main.count(*) OVER (PARTITION BY {3}) < {4}
             THEN system.main.error(''kanon: the audit found a class of fewer than {4} rows; nothing was released'')
         WHEN {9} THEN true
         ELSE system.main.error(''kanon: the audit found a class that breaks the guarantee; nothing was released'')
     END
     ORDER BY system.main.create_sort_key(system.main.row(*COLUMNS(*)), ''ASC NULLS FIRST'') ASC NULLS LAST',
    -- {0} whether the release is kept while it is audited, {1} columns with levels become texts
    CASE WHEN sa IS NULL THEN 'NOT ' ELSE '' END,
    CASE
        WHEN system.main.len(system.main.struct_extract(given, 'levelled')) = 0 THEN ''
        ELSE system.main.format('REPLACE ({})', system.main.list_aggregate(system.main.list_transform(
            system.main.struct_extract(given, 'levelled'), lambda place: system.main.format(
                'source.{0}::VARCHAR AS {0}', system.main.concat('"', system.main.replace(
                system.main.list_extract(qi::VARCHAR[], system.main.add(place, 1)), '"', '""'), '"'))), 'string_agg', ', '))
    END,
    -- {2} what is shown; the text that is never reached makes a VARCHAR of an ENUM, and leaves other types
    -- (a slot that is NULL would make NULL of the whole text, without the error that tells why)
    coalesce(system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name, number: system.main.format(
        CASE WHEN system.main.list_contains(system.main.struct_extract(given, 'levelled'), system.main.subtract(number, 1))
            THEN 'system.main.decode(class.label{1}) AS {0}'
            ELSE 'CASE WHEN system.main.list_contains(class.shown, {1}) THEN source.{0} WHEN true THEN NULL ELSE '''' END AS {0}'
        END,
        system.main.concat('"', system.main.replace(name, '"', '""'), '"'), system.main.subtract(number, 1))), 'string_agg', ', '), ''),
    system.main.struct_extract(given, 'cells'), system.main.struct_extract(given, 'k'),
    -- {5} words of the error, {6} the guarantee, {7} the sensitive column
    CASE WHEN sa IS NULL THEN '' ELSE ' that keeps the guarantee' END, coalesce(guarantee::VARCHAR, 'true'), system.main.struct_extract(given, 'sensitive'),
    -- {8} whether a quasi-identifier has an ENUM inside of it, {9} and whether the guarantee is audited
    coalesce(system.main.list_aggregate(system.main.list_transform(qi::VARCHAR[], lambda name: system.main.format(
        'system.main.contains(system.main.typeof(source.{}), ''ENUM('')',
        @quoted(name)
        )), 'string_agg', ' OR '), ''),
    CASE WHEN sa IS NULL THEN 'true' ELSE '(SELECT kept FROM "kanon audited")' END,
    -- {10} the columns that are left out
    coalesce(system.main.format('EXCLUDE ({}) ', system.main.list_aggregate(system.main.list_transform(drop::VARCHAR[], lambda name:
        @quoted(name)
        ), 'string_agg', ', ')), '')
)
