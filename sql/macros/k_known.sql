-- k_known(tbl, qi, m, k := 5, person := NULL): the k of a table against an attacker who knows any m of the quasi-identifiers.
--
-- For each set of m quasi-identifiers, the rows with the same values in it are a class. The k given here is the size of the smallest class
-- of any set. Sets of fewer columns need no look: their classes are unions of these. With m = all columns it is the k of k_anonymity().
-- NULL is a value like any other: rows that are NULL in the same column are alike there. Text is compared byte by byte, whatever the
-- collation of the column. With person, classes are counted in people: an empty cell is nobody.
--
-- Arguments:
--   tbl      VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                        'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi       VARCHAR[]   the quasi-identifiers, at most 60. Case does not matter, as everywhere in SQL.
--   m        INTEGER     how many of them the attacker knows; more than there are count as all
--   k        BIGINT      rows, or people, below which a class is counted in the last two columns
--   person   VARCHAR     the column that tells people apart; NULL counts rows
--
-- Result columns (one row):
--   k                 BIGINT     rows, or people, of the smallest class of any set; NULL for an empty table
--   sets              BIGINT     number of sets of m columns
--   worst_set         VARCHAR[]  the set with the smallest class; of several the one with most rows in classes of fewer than k rows
--   rows_below        BIGINT     rows in classes of fewer than k rows, or people, by the set that has most of them
--   rows_below_next   BIGINT     the same for sets of m + 1 columns; NULL if there are none, or more than 5,000
--
-- Cost: a sort of each column, and a GROUP BY for each set, in batches of 56; more than 5,000 sets of m columns are an error.
CREATE OR REPLACE MACRO k_known(tbl, qi, m, k := 5, person := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#coded" AS MATERIALIZED (
         SELECT {2}
         FROM (
             SELECT system.main.create_sort_key(system.main.row(COLUMNS(*)), ''ASC NULLS FIRST''){9}
             FROM (
                 @spelled(SELECT {8}{0} FROM {1} AS source)
             ) AS source
         ) AS "kanon#keys"({3})
     ), "kanon#sets" AS MATERIALIZED ({4}
     ), "kanon#worst" AS (
         SELECT (
             SELECT system.main.list(name ORDER BY place ASC NULLS LAST)
             FROM (
                 SELECT system.main.unnest({5}) AS name, system.main.unnest(system.main.range(1, system.main.len({5}) + 1)) AS place
             ) AS named
             WHERE chosen // (1::BIGINT << place) % 2 = 1
         ) AS worst
         FROM "kanon#sets" WHERE size = 0 ORDER BY least ASC NULLS LAST, below DESC NULLS LAST, chosen ASC NULLS LAST LIMIT 1
     )
     SELECT system.main.min(least) FILTER (size = 0) AS k, {6}::BIGINT AS sets, (FROM "kanon#worst") AS worst_set,
            coalesce(system.main.max(below) FILTER (size = 0), 0) AS rows_below,
            CASE WHEN {7} THEN coalesce(system.main.max(below) FILTER (size = 1), 0) END AS rows_below_next
     FROM "kanon#sets"',
    @quasi_identifiers(system.main.error('kanon: qi is missing (name the quasi-identifiers: [''zip'', ''age''])'); name the quasi-identifiers)
    ,
    @table(tbl)
    ,
    system.main.concat(
        CASE WHEN person IS NULL THEN '' ELSE 'CASE WHEN counted THEN system.main.dense_rank() OVER (ORDER BY c0 ASC NULLS LAST) END AS c0, ' END,
        system.main.list_aggregate(system.main.list_transform(system.main.range(1, system.main.len(qi::VARCHAR[]) + 1),
            lambda i: system.main.format('system.main.dense_rank() OVER (ORDER BY c{} ASC NULLS LAST) AS c{}', i, i)), 'string_agg', ', ')),
    system.main.concat(
        CASE WHEN person IS NULL THEN '' ELSE 'c0, ' END,
        system.main.list_aggregate(system.main.list_transform(system.main.range(1, system.main.len(qi::VARCHAR[]) + 1),
            lambda i: system.main.concat('c', i)), 'string_agg', ', '),
        CASE WHEN person IS NULL THEN '' ELSE ', counted' END),
    system.main.concat(
        CASE
            WHEN m >= 1 AND k >= 1 AND system.main.len(qi::VARCHAR[]) <= 60 THEN ''
            WHEN system.main.len(qi::VARCHAR[]) > 60 THEN system.main.error('kanon: qi has more than 60 columns (name fewer)')
            WHEN m >= 1 THEN system.main.error('kanon: k is a number of rows or people, at least 1')
            ELSE system.main.error('kanon: m is the number of columns that are known, at least 1')
        END,
        CASE
            WHEN @known_count(system.main.least(m::BIGINT, system.main.len(qi::VARCHAR[]))) > 5000
            THEN system.main.error(system.main.format('kanon: more than 5,000 sets of {} columns (name fewer columns in qi, or a smaller m)', m))
            ELSE @known_classes(@known_sets(system.main.least(m::BIGINT, system.main.len(qi::VARCHAR[])));0)
        END,
        CASE
            WHEN @known_count(m::BIGINT + 1) BETWEEN 1 AND 5000
            THEN system.main.concat(' UNION ALL ',
                @known_classes(@known_sets(m::BIGINT + 1);1)
            )
            ELSE ''
        END),
    @list_literal(qi::VARCHAR[]; name)
    ,
    @known_count(system.main.least(m::BIGINT, system.main.len(qi::VARCHAR[])))
    ::BIGINT,
    @known_count(m::BIGINT + 1) BETWEEN 1 AND 5000,
    CASE WHEN person IS NULL THEN ''
        WHEN person::VARCHAR = '' THEN system.main.error('kanon: person is not a column name')
        ELSE system.main.concat('source."', system.main.replace(person::VARCHAR, '"', '""'), '" AS "kanon#person", ') END,
    CASE WHEN person IS NULL THEN '' ELSE ', "kanon#person" IS NOT NULL' END,
    @built_in()
));
