-- history_risk(tbl, person, qi, m, k := 5): the people whom an attacker finds by any m rows of a person, where a column links rows.
--
-- The rows of a person are a history. The attacker knows the person's own columns: those with one value in all rows of each person. The
-- attacker also knows the other quasi-identifiers of any m rows, or of all rows if there are fewer. The candidates are the people with the
-- same own columns who have all these rows, each as often. Those who know fewer rows find at least as many candidates.
-- NULL is a value like any other, as in k_known(): a suppressed cell is a candidate for suppressed cells only. Counting it as one for every
-- value would pass a table where k people show nothing and all others are released unchanged. An attacker who knows true values finds at
-- least the candidates that are counted here. A row whose person is NULL is nobody's. Text is compared byte by byte, whatever the collation
-- of the column.
--
-- Arguments:
--   tbl      VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                        'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   person   VARCHAR     the column that links the rows of a person, such as a pseudonym
--   qi       VARCHAR[]   the quasi-identifiers, at most 60. Case does not matter, as everywhere in SQL.
--   m        INTEGER     how many rows the attacker knows: 1, 2 or 3
--   k        BIGINT      fewer candidates than that are counted in the columns people_below and people_below_next
--
-- Result columns (one row):
--   people                BIGINT     number of people
--   fewest_candidates     BIGINT     the fewest candidates of a person by any m rows; NULL without people
--   people_below          BIGINT     people who have fewer than k candidates by some m rows
--   people_below_next     BIGINT     the same for m + 1 rows; NULL if people have more than 20 million such sets of rows
--   own_columns           VARCHAR[]  the quasi-identifiers that have one value in all rows of each person
--
-- Cost: a sort of each column, and a GROUP BY of the sets of m rows of each person; more than 20 million such sets are an error.
CREATE OR REPLACE MACRO history_risk(tbl, person, qi, m, k := 5) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#keys" AS MATERIALIZED (
         SELECT *
         FROM (
             SELECT system.main.create_sort_key(system.main.row(COLUMNS(*)), ''ASC NULLS FIRST'')
             FROM (
                 @spelled(SELECT source.{1} AS "kanon#person", {0} FROM {2} AS source WHERE source.{1} IS NOT NULL)
             ) AS source
         ) AS "kanon#keys"(p, {3})
     ), "kanon#own" AS MATERIALIZED (
         SELECT {4}
         FROM (SELECT {5} FROM "kanon#keys" GROUP BY p)
     ), "kanon#coded" AS MATERIALIZED (
         SELECT who, own, fact, system.main.row_number() OVER (PARTITION BY who ORDER BY fact ASC NULLS LAST) AS place,
                system.main.count(*) OVER (PARTITION BY who) AS rows
         FROM (
             SELECT system.main.dense_rank() OVER (ORDER BY p ASC NULLS LAST) AS who,
                    system.main.dense_rank() OVER (ORDER BY system.main.create_sort_key(system.main.row({6}), ''ASC NULLS LAST'') ASC NULLS LAST) AS own,
                    system.main.dense_rank() OVER (ORDER BY system.main.create_sort_key(system.main.row({7}), ''ASC NULLS LAST'') ASC NULLS LAST) AS fact
             FROM "kanon#keys", "kanon#own"
         )
     ), "kanon#sets" AS MATERIALIZED (
         SELECT {8}
         FROM (SELECT system.main.any_value(rows)::DOUBLE AS n FROM "kanon#coded" GROUP BY who)
     ), "kanon#found" AS ({9}
     ), "kanon#least" AS (
         SELECT who, system.main.min(n) FILTER (size <= {10}) AS least, system.main.min(n) AS least_next FROM "kanon#found" GROUP BY who
     )
     SELECT system.main.count(*) AS people,
            CASE WHEN (SELECT now > 2e7 FROM "kanon#sets")
                 THEN system.main.error(''kanon: people have more than 20 million sets of {10} rows (take a smaller m, or fewer rows of each person)'')
                 ELSE system.main.min(least) END AS fewest_candidates,
            system.main.count(*) FILTER (least < {11}) AS people_below,
            CASE WHEN (SELECT following <= 2e7 FROM "kanon#sets") IS NOT FALSE
                 THEN system.main.count(*) FILTER (least_next < {11}) END AS people_below_next,
            (SELECT system.main.list_where({12}, system.main.list_value({13})) FROM "kanon#own")
                AS own_columns
     FROM "kanon#least"',
    @quasi_identifiers(system.main.error('kanon: qi is missing (name the quasi-identifiers: [''zip'', ''age''])'); name the quasi-identifiers)
    ,
    CASE WHEN coalesce(person::VARCHAR, '') = '' THEN system.main.error('kanon: person is not a column name')
        ELSE system.main.concat('"', system.main.replace(person::VARCHAR, '"', '""'), '"') END,
    @table(tbl)
    ,
    @numbered(c{0})
    ,
    @numbered(coalesce(system.main.bool_and(c{0}), true) AS c{0})
    ,
    @numbered(system.main.min(c{0}) = system.main.max(c{0}) AS c{0})
    ,
    @numbered(CASE WHEN "kanon#own".c{0} THEN "kanon#keys".c{0} END)
    ,
    @numbered(CASE WHEN NOT "kanon#own".c{0} THEN "kanon#keys".c{0} END)
    ,
    @rows_known(m::BIGINT; now)
    || ', ' ||
    @rows_known(m::BIGINT + 1; following)
    ,
    CASE
        WHEN system.main.len(qi::VARCHAR[]) > 60 THEN system.main.error('kanon: qi has more than 60 columns (name fewer)')
        WHEN (m BETWEEN 1 AND 3) IS NOT TRUE THEN system.main.error('kanon: m is the number of rows that are known: 1, 2 or 3')
        ELSE system.main.list_aggregate(system.main.list_transform(system.main.range(1, m::BIGINT + 2), lambda size:
            system.main.format('
                SELECT who, {0} AS size, system.main.count(*) OVER (PARTITION BY own, {1}) AS n
                FROM (SELECT DISTINCT r1.who, r1.own, {2} FROM {3})',
                size,
                system.main.list_aggregate(system.main.list_transform(system.main.range(1, size + 1), lambda i: system.main.concat('f', i)), 'string_agg', ', '),
                system.main.list_aggregate(system.main.list_transform(system.main.range(1, size + 1),
                    lambda i: system.main.format('r{0}.fact AS f{0}', i)), 'string_agg', ', '),
                system.main.list_aggregate(system.main.list_transform(system.main.range(1, size + 1), lambda i: system.main.format(
                    '{2}(FROM "kanon#coded" WHERE (SELECT {3} <= 2e7 FROM "kanon#sets")) AS r{0}{4}', i, i - 1,
                    CASE WHEN i > 1 THEN 'JOIN ' ELSE '' END,
                    CASE WHEN size <= m::BIGINT THEN 'now' ELSE 'following' END,
                    CASE WHEN i > 1 THEN system.main.format(' ON r{0}.who = r{1}.who AND r{0}.place > r{1}.place', i, i - 1) ELSE '' END)),
                    'string_agg', ' '))
            ), 'string_agg', ' UNION ALL ')
    END,
    coalesce(m::BIGINT, 0),
    CASE WHEN (k >= 1) IS NOT TRUE THEN system.main.error('kanon: k is a number of people, at least 1') ELSE k::BIGINT END,
    @list_literal(qi::VARCHAR[]; name)
    ,
    @numbered(c{0})
    ,
    @built_in()
));
