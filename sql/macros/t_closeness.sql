-- t_closeness(tbl, qi, sa, metric := 'equal', hierarchy := NULL): how far the classes of a table are from the whole table.
--
-- A table is t-close if in every equivalence class the distribution of the sensitive attribute is at most t away from that
-- of the whole table; the t given here is the smallest such t. The distance of two distributions is the earth mover's
-- distance: the least work of turning one into the other, where moving the share p from value a to value b costs
-- p * d(a, b). The metric d is from 0 to 1:
--   'equal'          1 for two different values: the total variation distance
--   'ordered'        the difference of their ranks among the values of sa, over the largest; NULL is the last value
--   'numeric'        their difference, over that of the largest and the smallest; for numbers, dates and timestamps, also
--                    as texts
--   'hierarchical'   the height of their lowest common ancestor, over the height of the tree
--   anything else    names a table with the columns a, b, distance: their distance there, over the largest there
-- Every figure is computed in whole numbers and is exact, that of a table of distances too: every class whose bounds leave
-- it a chance to be the worst gets an optimal transport plan. Fractional numbers count to 18 decimals, and so do
-- distances that have no common denominator of at most 24 digits.
-- NULL is a value like any other: rows that are NULL in the same column are alike there, and NULL is one more value of the
-- sensitive attribute; for 'numeric' it is an error. In quasi-identifiers, text is compared byte by byte whatever the collation
-- of the column ('a' and 'A' are two values even under NOCASE), because the reader sees bytes. Values of the sensitive
-- attribute are one where the column calls them equal ('flu' and 'FLU' under NOCASE, one month and 30 days): the first of them.
--
-- Arguments:
--   tbl         VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                           'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi          VARCHAR[]   the quasi-identifiers; NULL takes every column but sa. Case does not matter, as everywhere in SQL.
--   sa          VARCHAR     the sensitive attribute, a column that is not in qi
--   metric      VARCHAR     see above; write '"equal"' or 'main.equal' for a table of that name. One row (a, b, distance)
--                           stands for both directions, and rows (a, a, 0) may be missing. A distance is a number of at least 0
--                           or a quotient such as '1/3'; a DOUBLE counts as the fraction that it was divided from.
--   hierarchy   VARCHAR     for 'hierarchical' only: name of the table of the tree. Its columns are level0, level1, ...: a
--                           value and its ancestors up to the root; or value, parent: a node and the node above it, where the
--                           root's parent is NULL, the root itself, or the root has no row.
--   Values of sa are found in these tables by their text, NULL by NULL.
--
-- Result columns (one row; t, its fraction and the worst classes are NULL for an empty table):
--   t               DOUBLE    = t_numerator / t_denominator
--   t_numerator     HUGEINT   the numerator of t as a fraction in lowest terms
--   t_denominator   HUGEINT   its denominator
--   worst_classes   BIGINT    number of classes at the distance t
--   worst_rows      BIGINT    number of rows in them
--   classes         BIGINT    number of classes
--   rows            BIGINT    number of rows
--
-- Errors: a value that the hierarchy lacks, a pair that the table of distances lacks, a hierarchy that is no tree, distances
-- that are no metric (a way over a third value may be shorter by 1e-9), sums beyond 37 digits. No error tells a value.
--
-- Source: Li, Li, Venkatasubramanian: t-closeness, ICDE 2007. Liang, Yuan: On the Complexity of t-Closeness Anonymization and
-- Related Problems, Section 2.1.
-- Cost: one scan, one GROUP BY, one over the (class, value) pairs; the rest is done once for all classes with the same counts
-- of values. No metric but a table of distances pairs the classes with values that they do not have; with v values, that
-- takes v^3 steps to check the triangle inequality, and v^2 a class and round.
CREATE OR REPLACE MACRO t_closeness(tbl, qi := NULL, sa := NULL, metric := 'equal', hierarchy := NULL) AS TABLE
FROM system.main.query(system.main.format(
    -- A pair is a value in a histogram: held rows of the size of each class that has it. Classes with one histogram are alike.
    -- A histogram is a list of whole numbers, place of the value * 2^42 + held.
    'WITH RECURSIVE "t_closeness cells" AS MATERIALIZED (
         SELECT class, value, system.main.sum(held)::BIGINT AS held
         FROM (
             SELECT class, system.main.min(value) OVER (PARTITION BY own) AS value, held
             FROM (
                 SELECT system.main.create_sort_key(system.main.row(true, *COLUMNS(* EXCLUDE ("kanon#own"))), ''ASC NULLS FIRST'') AS class,
                        "kanon#own" AS own, system.main.min({2}) AS value, system.main.count(*) AS held
                 FROM (
                     @one_spelling(SELECT {4} AS "kanon#own", {0} FROM {1} AS source; INTERVAL|VARIANT; "kanon#own", ; COLUMNS(* EXCLUDE ("kanon#own")))
                 ) AS source
                 GROUP BY 1, 2
             ) AS spelled
         ) AS spelled
         GROUP BY class, value
     ),
     "t_closeness values" AS MATERIALIZED (
         SELECT value, system.main.row_number() OVER (ORDER BY value ASC NULLS LAST) AS place, system.main.sum(held) AS mass
         FROM "t_closeness cells"
         GROUP BY value
     ),
     "t_closeness pairs" AS MATERIALIZED (
         SELECT id, alike, size, all_classes, all_rows,
                (pair // (1::HUGEINT << 42))::BIGINT AS place,
                (pair % (1::HUGEINT << 42))::BIGINT AS held
         FROM (
             SELECT *, system.main.unnest(histogram) AS pair
             FROM (
                 SELECT system.main.row_number() OVER () AS id,
                        histogram,
                        size,
                        system.main.count(*) AS alike,
                        system.main.sum(system.main.count(*)) OVER () AS all_classes,
                        system.main.sum(size * system.main.count(*)) OVER () AS all_rows
                 FROM (
                     SELECT system.main.list_sort(
                                system.main.list(place * (1::HUGEINT << 42) + held), ''ASC'', ''NULLS LAST'') AS histogram,
                            system.main.sum(held) AS size
                     FROM "t_closeness cells" AS cells
                     JOIN "t_closeness values" AS known ON known.value IS NOT DISTINCT FROM cells.value
                     GROUP BY class
                 ) AS classes
                 GROUP BY histogram, size
             ) AS histograms
         ) AS pairs
     ),' || CASE
        -- What is too many in a class is moved, over 1.
        WHEN metric::VARCHAR = 'equal' THEN '
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, 1 AS scale,
                system.main.sum(system.main.greatest(0, all_rows * held - size * mass)) AS work
         FROM "t_closeness pairs" JOIN "t_closeness values" USING (place)
         GROUP BY id, alike, size, all_classes, all_rows
     )'
        -- The area between two staircases, over the spots of the values. From one value of a class to its next its own stair
        -- is level, and that of the whole table crosses it at most once: where it first is higher. The area under the stair
        -- of the whole table is summed from the left, so that each stretch is a difference of two such sums.
        WHEN metric::VARCHAR IN ('ordered', 'numeric') THEN '
     "t_closeness line" AS MATERIALIZED (
         SELECT place,
                spot,
                rows_up_to,
                spot * rows_up_to - moment AS area,
                system.main.max(spot) OVER () AS last_spot,
                system.main.max(spot * rows_up_to - moment) OVER () AS last_area
         FROM (
             SELECT place,
                    spot,
                    system.main.sum(mass) OVER (ORDER BY spot ASC NULLS LAST) AS rows_up_to,
                    system.main.sum(mass * spot) OVER (ORDER BY spot ASC NULLS LAST) AS moment
             FROM (' || CASE metric::VARCHAR
            WHEN 'ordered' THEN '
                 SELECT place, mass, place::HUGEINT - 1 AS spot FROM "t_closeness values"'
            ELSE '
                 SELECT place,
                        mass,
                        CASE
                            WHEN (system.main.max(number) OVER ())::DOUBLE
                                - (system.main.min(number) OVER ())::DOUBLE > 1e37 / (system.main.sum(mass) OVER ())
                            THEN system.main.error(''kanon: the numbers in sa have too many digits for exact sums (round them)'')
                            ELSE number - system.main.min(number) OVER ()
                        END AS spot
                 FROM (
                     SELECT *, digits::HUGEINT // (''1'' || system.main.repeat(''0'', system.main.min(zeros) OVER ()))::HUGEINT
                         AS number
                     FROM (
                         SELECT *, system.main.least(18, system.main.length(digits)
                                                     - system.main.length(system.main.rtrim(digits, ''0''))) AS zeros
                         FROM (
                             SELECT place,
                                    mass,
                                    CASE
                                        WHEN system.main.bool_or(value IS NULL) OVER ()
                                        THEN system.main.error(''kanon: sa holds NULL, which has no distance in the metric numeric'')
                                        WHEN system.main.bool_and(digits IS NOT NULL) OVER () THEN digits
                                        WHEN system.main.bool_and(moment IS NOT NULL) OVER () THEN moment::VARCHAR
                                        ELSE system.main.error(''kanon: the values of sa are not all numbers below 10^20 or all dates'')
                                    END AS digits
                             FROM (
                                 SELECT *,
                                        system.main.replace(TRY_CAST(system.main.decode(value) AS DECIMAL(38, 18))::VARCHAR,
                                                            ''.'', '''') AS digits,
                                        CASE
                                            WHEN system.main.regexp_matches(system.main.decode(value),
                                                '':[0-9]+([.][0-9]+)?[-+][0-9:]+$'')
                                            THEN system.main.epoch_us(TRY_CAST(system.main.decode(value) AS TIMESTAMPTZ))
                                            ELSE system.main.epoch_us(TRY_CAST(system.main.decode(value) AS TIMESTAMP))
                                        END AS moment
                                 FROM "t_closeness values"
                             ) AS texts
                         ) AS texts
                     ) AS texts
                 ) AS numbers'
        END || '
             ) AS spots
         ) AS spots
     ),
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, last_spot AS scale,
                system.main.sum(CASE
                    WHEN last_spot::DOUBLE * all_rows * size > 1e37
                    THEN system.main.error(''kanon: the numbers in sa have too many digits for exact sums (round them)'')
                    ELSE CASE WHEN lowest THEN size * area ELSE 0 END
                         + all_rows * held * (2 * turn - spot - next_spot)
                         - size * (2 * turn_area - area - next_area)
                END) AS work
         FROM (
             SELECT stairs.*,
                    system.main.greatest(stairs.spot, system.main.least(next_spot, coalesce(cuts.spot, next_spot))) AS turn,
                    system.main.greatest(stairs.area, system.main.least(next_area, coalesce(cuts.area, next_area))) AS turn_area
             FROM (
                 SELECT id, alike, size, all_classes, all_rows, spot, area, last_spot,
                        system.main.sum(held) OVER class AS held,
                        system.main.lead(spot, 1, last_spot) OVER class AS next_spot,
                        system.main.lead(area, 1, last_area) OVER class AS next_area,
                        system.main.row_number() OVER class = 1 AS lowest
                 FROM "t_closeness pairs" JOIN "t_closeness line" USING (place)
                 WINDOW class AS (PARTITION BY id ORDER BY spot ASC NULLS LAST ROWS UNBOUNDED PRECEDING)
             ) AS stairs
             ASOF LEFT JOIN "t_closeness line" AS cuts ON all_rows * held // size < rows_up_to
         ) AS stairs
         GROUP BY id, alike, size, all_classes, all_rows, last_spot
     )'
        -- What is too many below a node is moved over the edge above it, whose length is the difference of the two heights.
        -- A value that has nodes below it hangs at the height 0 under its own node.
        WHEN metric::VARCHAR = 'hierarchical' THEN '
     "t_closeness edges" AS MATERIALIZED (
         SELECT CASE
                    WHEN system.main.count(*) OVER (PARTITION BY way[1]) > 1
                    THEN system.main.error(''kanon: the hierarchy is no tree: two different rows begin with the same value'')
                    ELSE way
                END AS way,
                levels,
                system.main.count(*) OVER () AS edges
         FROM (
             SELECT DISTINCT
                    levels,
                    CASE
                        WHEN levels AND system.main.list_aggregate(labels, ''count'') < system.main.len(labels)
                            - CASE WHEN labels[1] IS NULL
                            THEN 1 ELSE 0 END
                        THEN system.main.error(''kanon: the hierarchy has an empty cell above level0'')
                        WHEN levels OR labels[2] IS NOT NULL AND labels[1] IS DISTINCT FROM labels[2] THEN labels
                        ELSE labels[:1]
                    END AS way
             FROM (
                 SELECT system.main.list_transform(cells, lambda cell: cell.label) AS labels,
                        CASE
                            WHEN system.main.len(cells) < 2
                                 OR system.main.list_transform(cells, lambda cell: cell.step) IS DISTINCT
                                     FROM system.main.range(system.main.len(cells))
                                 OR (cells[1].form = ''level'') <> (cells[-1].form = ''level'')
                            THEN system.main.error(''kanon: the columns of the hierarchy are not value, parent or level0, level1, ...'')
                            ELSE cells[1].form = ''level''
                        END AS levels
                 FROM (
                     SELECT system.main.list_sort(system.main.list_value(*COLUMNS(*)), ''ASC'', ''NULLS LAST'') AS cells
                     FROM (
                         @tree_cells()
                         FROM {3} AS source
                     ) AS source
                 ) AS lines
             ) AS lines
         ) AS lines
     ),
     "t_closeness climbs" AS (
         SELECT way, levels FROM "t_closeness edges"
         UNION ALL
         SELECT CASE
                    WHEN system.main.len(climbs.way) > edges
                    THEN system.main.error(''kanon: the hierarchy is no tree: its parents lead round in a circle'')
                    ELSE system.main.list_concat(climbs.way, system.main.list_value(edges.way[2]))
                END,
                false
         FROM "t_closeness climbs" AS climbs
         JOIN "t_closeness edges" AS edges ON edges.way[1] = climbs.way[-1]
         WHERE NOT climbs.levels AND system.main.len(climbs.way) > 1 AND system.main.len(edges.way) > 1
     ),
     "t_closeness ways" AS MATERIALIZED (
         SELECT value,
                step - 1 AS height,
                system.main.struct_pack(level := CASE WHEN levels THEN step ELSE 1 END, label := way[step]) AS node,
                CASE
                    WHEN step < system.main.len(way)
                    THEN system.main.struct_pack(level := CASE WHEN levels THEN step + 1 ELSE 1 END, label := way[step + 1])
                END AS above
         FROM (
             SELECT *, way[1] AS value, system.main.unnest(system.main.range(1, system.main.len(way) + 1)) AS step
             FROM (
                 SELECT DISTINCT
                        levels,
                        system.main.unnest(CASE WHEN levels THEN [way]
                                           ELSE system.main.list_transform(way, lambda label, i: way[i:]) END) AS way
                 FROM (
                     SELECT system.main.arg_max(way, system.main.len(way)) AS way, system.main.any_value(levels) AS levels
                     FROM "t_closeness climbs"
                     GROUP BY way[1]
                 ) AS ways
             ) AS ways
         ) AS ways
     ),
     "t_closeness nodes" AS MATERIALIZED (
         SELECT node,
                CASE
                    WHEN parents > 1 THEN system.main.error(''kanon: the hierarchy is no tree: a node has two parents'')
                    WHEN system.main.count(*) FILTER (parents = 0) OVER () > 1
                    THEN system.main.error(''kanon: the hierarchy has several roots: all its values must end in one'')
                    ELSE height
                END AS height,
                system.main.max(height) OVER () AS scale
         FROM (
             SELECT node, system.main.max(height) AS height, system.main.count(DISTINCT above) AS parents
             FROM "t_closeness ways" GROUP BY node
         ) AS nodes
     ),
     "t_closeness branches" AS (
         SELECT value, ways.node AS node, upper.height - lower.height AS length, lower.scale AS scale
         FROM "t_closeness ways" AS ways
         JOIN "t_closeness nodes" AS lower ON lower.node = ways.node
         JOIN "t_closeness nodes" AS upper ON upper.node = ways.above
         UNION ALL
         SELECT value, system.main.struct_pack(level := 0, label := value), nodes.height, nodes.scale
         FROM "t_closeness ways" AS ways
         JOIN "t_closeness nodes" AS nodes ON nodes.node = ways.node
         WHERE ways.height = 0
     ),
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, system.main.any_value(scale) AS scale,
                system.main.sum(length * system.main.greatest(0, all_rows * held - size * mass)) AS work
         FROM (
             SELECT *, system.main.sum(held * alike) OVER (PARTITION BY node) AS mass
             FROM (
                 SELECT id, alike, size, all_classes, all_rows, node, length, scale, system.main.sum(held) AS held
                 FROM "t_closeness pairs"
                 JOIN (
                     SELECT place,
                            length,
                            scale,
                            CASE
                                WHEN node IS NULL
                                THEN system.main.error(''kanon: the hierarchy lacks a value of sa (compared by their text)'')
                                ELSE node
                            END AS node
                     FROM "t_closeness values" AS known
                     LEFT JOIN "t_closeness branches" AS branches ON branches.value IS NOT DISTINCT FROM known.value
                 ) AS branches USING (place)
                 GROUP BY ALL
             ) AS pairs
         ) AS pairs
         GROUP BY id, alike, size, all_classes, all_rows
     )'
        -- Each distance as a fraction in lowest terms; a DOUBLE counts as the simplest fraction that it may stand for.
        ELSE '
     "t_closeness distances" AS MATERIALIZED (
         @guarantee(t_closeness_distances; table = {3}; a = system.main.encode("kanon#t".a::VARCHAR); b = system.main.encode("kanon#t".b::VARCHAR))
     ),
     "t_closeness unit" AS MATERIALIZED (
         SELECT system.main.list_reduce(system.main.list(DISTINCT below), lambda one, other: CASE
                    WHEN one <= 1e24::HUGEINT AND one::DOUBLE / system.main.gcd(one, other) * other <= 1e24
                    THEN system.main.lcm(one, other)
                    ELSE 2e24::HUGEINT
                END) AS unit,
                system.main.max(above::DOUBLE / below) AS largest,
                system.main.count(*) FILTER (a IS DISTINCT FROM b) AS others
         FROM "t_closeness distances"
         WHERE above IS NOT NULL
     ),
     "t_closeness space" AS (
         SELECT masses,
                largest,
                CASE
                    WHEN system.main.list_aggregate(system.main.list_transform(matrix,
                        lambda x: system.main.len(x)), ''min'') < system.main.len(matrix)
                    THEN system.main.error(''kanon: the table of distances lacks a pair of values of sa (compared by their text)'')
                    WHEN system.main.list_aggregate(system.main.list_transform(matrix,
                        lambda x: system.main.list_aggregate(system.main.list_transform(matrix, lambda y, j:
                             x[j] - system.main.list_aggregate(system.main.list_transform(x, lambda d, z: d
                                 + y[z]), ''min'')), ''max'')), ''max'') > largest // 1000000000
                    THEN system.main.error(''kanon: the distances are no metric: for a pair of values the way over a third is shorter'')
                    ELSE matrix
                END AS matrix
         FROM (
             SELECT system.main.list(mass ORDER BY place ASC NULLS LAST) AS masses,
                    system.main.list(distances ORDER BY place ASC NULLS LAST) AS matrix,
                    system.main.max(largest) AS largest
             FROM (
                 SELECT place, system.main.list(distance ORDER BY other ASC NULLS LAST) AS distances,
                        system.main.max(largest) AS largest
                 FROM (
                     SELECT place,
                            other,
                            CASE
                                WHEN system.main.min(distance) = system.main.max(distance) THEN system.main.min(distance)
                                WHEN place = other
                                THEN system.main.error(''kanon: the table of distances puts a value at a distance from itself'')
                                ELSE system.main.error(''kanon: the table of distances has two distances for one pair of values'')
                            END AS distance,
                            system.main.max(largest) AS largest
                     FROM (
                         SELECT here.place AS place, there.place AS other, distance, largest
                         FROM (
                             SELECT system.main.unnest([system.main.struct_pack(a := a, b := b),
                                                        system.main.struct_pack(a := b, b := a)]) AS pair,
                                    distance,
                                    system.main.max(distance) OVER () AS largest
                             FROM (
                                 SELECT a,
                                        b,
                                        CASE
                                            WHEN above IS NULL
                                            THEN system.main.error(''kanon: the table of distances has one that is not a number of at least 0'')
                                            WHEN largest = 0 AND others > 0
                                            THEN system.main.error(''kanon: all distances in the table are 0'')
                                            WHEN above::DOUBLE / below * system.main.least(unit, 1e24::HUGEINT) > 1e37
                                            THEN system.main.error(''kanon: the distances have too many digits for exact sums (round them)'')
                                            WHEN unit <= 1e24::HUGEINT THEN above * (unit // below)
                                            ELSE above // below * 1e18::HUGEINT
                                                + (above % below // (below // 1e18::HUGEINT + 1)) * 1e18::HUGEINT
                                                    // (below // (below // 1e18::HUGEINT + 1))
                                        END AS distance
                                 FROM "t_closeness distances", "t_closeness unit"
                             ) AS numbers
                         ) AS numbers
                         JOIN "t_closeness values" AS here ON here.value IS NOT DISTINCT FROM pair.a
                         JOIN "t_closeness values" AS there ON there.value IS NOT DISTINCT FROM pair.b
                         UNION ALL
                         SELECT place, place, 0, 0 FROM "t_closeness values"
                     ) AS found
                     GROUP BY place, other
                 ) AS found
                 GROUP BY place
             ) AS found
             JOIN "t_closeness values" USING (place)
         ) AS found
     ),' ||
        -- Optimal transport for every histogram at once. A source has more of a value than the whole table, a sink less; what
        -- both have in common stays, since d is a metric. A plan ships along ways of the least work from the sources through
        -- sinks that give back what they had from others (Bellman and Ford; labels: work * base + the last step), and all that
        -- fits in one tree of such ways; then every flow is optimal for what it ships. Plans end early where even their mean
        -- completion is below the least completion of another one. list_transform([x], lambda y: ...)[1] lets y be x.
        '
     "t_closeness plans" AS (
         SELECT id, alike, size, all_classes, all_rows, largest, base,
                system.main.list_transform(sources, lambda i: excess[i]) AS supply,
                system.main.list_transform(sinks, lambda j: -excess[j]) AS demand,
                system.main.list_transform(sources,
                                           lambda i, s: system.main.list_transform(sinks, lambda j: matrix[i][j] * base + s))
                                               AS fares,
                system.main.list_transform(sources, lambda i: system.main.list_transform(sinks, lambda j: 0::HUGEINT)) AS flows,
                0::HUGEINT AS work,
                0::DOUBLE AS best
         FROM (
             SELECT *,
                    system.main.list_filter(system.main.range(1, system.main.len(excess) + 1), lambda i: excess[i] > 0)
                        AS sources,
                    system.main.list_filter(system.main.range(1, system.main.len(excess) + 1), lambda j: excess[j] < 0)
                        AS sinks,
                    system.main.len(excess)::HUGEINT + 1 AS base
             FROM (
                 SELECT *,
                        system.main.list_transform(masses, lambda mass, i: CASE
                            WHEN largest::DOUBLE * system.main.len(masses) * all_rows * size > 1e37
                            THEN system.main.error(''kanon: the distances have too many digits for exact sums (round them)'')
                            ELSE all_rows * coalesce(pairs[system.main.list_position(places, i)].held, 0) - size * mass
                        END) AS excess
                 FROM (
                     SELECT *, system.main.list_transform(pairs, lambda pair: pair.place) AS places
                     FROM (
                         SELECT id, alike, size, all_classes, all_rows,
                                system.main.list(system.main.struct_pack(place := place, held := held)) AS pairs
                         FROM "t_closeness pairs"
                         GROUP BY id, alike, size, all_classes, all_rows
                     ) AS histograms
                 ) AS histograms
                 CROSS JOIN "t_closeness space"
             ) AS histograms
         ) AS histograms
         UNION ALL
         SELECT id, alike, size, all_classes, all_rows, largest, base, supply, demand, fares, flows, work,
                system.main.greatest(best, system.main.max(at_least) OVER ())
         FROM (
             SELECT *,
                    (work::DOUBLE + system.main.list_aggregate(system.main.list_transform(demand, lambda d, j: d::DOUBLE
                        * reach[j]), ''sum'')) / size AS at_least,
                    (work::DOUBLE + system.main.list_aggregate(system.main.list_transform(supply, lambda s, i: s::DOUBLE
                        * system.main.list_aggregate(system.main.list_transform(demand, lambda d, j: d::DOUBLE
                            * (fares[i][j] // base)), ''sum'')), ''sum'')
                        / system.main.greatest(system.main.list_aggregate(supply, ''sum''), 1)) / size AS at_most
             FROM (
                 SELECT id, alike, size, all_classes, all_rows, largest, base, fares, best, reach,
                        system.main.list_transform(supply, lambda s, i: CASE via[i] WHEN 0 THEN left_over.room[i] ELSE s END)
                            AS supply,
                        left_over.demand AS demand,
                        system.main.list_transform(flows, lambda line, i: system.main.list_transform(line, lambda flow, j: flow
                            + CASE origin[j] WHEN i THEN through[j] ELSE 0 END
                            - CASE via[i] WHEN j THEN room[i] - left_over.room[i] ELSE 0 END)) AS flows,
                        work + system.main.list_aggregate(system.main.list_transform(demand,
                            lambda d, j: (d - left_over.demand[j])
                            * reach[j]), ''sum'') AS work
                 FROM (
                     SELECT *,
                            system.main.list_transform(demand, lambda d, j: d - left_over.demand[j]
                                                       + system.main.list_aggregate(system.main.list_transform(
                                via, lambda v, i: CASE v WHEN j THEN room[i] - left_over.room[i] ELSE 0 END), ''sum'')) AS through
                     FROM (
                         SELECT *,
                                system.main.list_reduce(
                                    system.main.list_concat(system.main.list_value(system.main.struct_pack(room := room,
                                        demand := demand, sink := 0::BIGINT)), system.main.list_transform(
                                            system.main.list_sort(system.main.list_filter(
                                                system.main.list_transform(
                                                    reach, lambda r, j: CASE WHEN demand[j] > 0 THEN r * base + j END),
                                                lambda label: label IS NOT NULL), ''ASC'', ''NULLS LAST''),
                                            lambda label:
                                                system.main.struct_pack(room := room, demand := demand,
                                                    sink := (label % base)::BIGINT))),
                                    lambda now, next: system.main.list_transform(
                                        [system.main.list_reduce(
                                            system.main.list_transform(system.main.range(system.main.len(via) + 1),
                                                lambda i: [origin[next.sink]]),
                                            lambda way, e: CASE via[way[-1]]
                                                WHEN 0 THEN way ELSE system.main.list_concat(way,
                                                    system.main.list_value(origin[via[way[-1]]])) END)],
                                        lambda way: system.main.list_transform(
                                            [system.main.least(
                                                now.demand[next.sink],
                                                system.main.list_aggregate(system.main.list_transform(way,
                                                    lambda i: now.room[i]), ''min''))],
                                            lambda amount: system.main.struct_pack(
                                                room := system.main.list_transform(now.room, lambda r, i:
                                                    CASE WHEN system.main.list_contains(way, i) THEN r - amount ELSE r END),
                                                demand := system.main.list_transform(now.demand, lambda d, j:
                                                    CASE next.sink WHEN j THEN d - amount ELSE d END),
                                                sink := 0::BIGINT))[1])[1]) AS left_over
                         FROM (
                             SELECT *,
                                    system.main.list_transform(via, lambda v, i: CASE v WHEN 0 THEN supply[i]
                                        ELSE flows[i][v] END) AS room
                             FROM (
                                 SELECT *,
                                        system.main.list_transform(labels.sources, lambda label: (label % base)::BIGINT) AS via,
                                        system.main.list_transform(labels.sinks, lambda label: (label % base)::BIGINT)
                                            AS origin,
                                        system.main.list_transform(labels.sinks, lambda label: label // base) AS reach
                                 FROM (
                                     SELECT *,
                                            system.main.list_reduce(
                                                system.main.list_transform(system.main.range(system.main.len(supply) + 1),
                                                    lambda i: system.main.struct_pack(
                                                    sources := system.main.list_transform(
                                                        supply, lambda s: CASE WHEN s > 0 THEN 0::HUGEINT END),
                                                    sinks := system.main.list_transform(demand, lambda d: NULL::HUGEINT),
                                                    fresh := system.main.list_filter(system.main.range(1,
                                                        system.main.len(supply) + 1), lambda i: supply[i] > 0))),
                                                lambda now, next: CASE WHEN system.main.len(now.fresh) = 0 THEN now
                                                    ELSE system.main.list_transform(
                                                    [system.main.list_transform(now.sinks,
                                                        lambda old, j: system.main.list_transform(
                                                        [system.main.list_aggregate(system.main.list_transform(now.fresh,
                                                            lambda i:
                                                            now.sources[i] // base * base + fares[i][j]), ''min'')],
                                                        lambda new:
                                                            CASE WHEN new // base >= old // base THEN old ELSE new END)[1])],
                                                    lambda sinks: system.main.list_transform(
                                                        [system.main.list_transform(now.sources,
                                                            lambda old, i: system.main.list_transform(
                                                            [system.main.list_aggregate(system.main.list_transform(givers[i],
                                                                lambda j:
                                                                (sinks[j] // base - fares[i][j] // base) * base + j), ''min'')],
                                                            lambda new: CASE
                                                                WHEN new IS NULL OR new // base >= old // base THEN old
                                                                ELSE new END)[1])],
                                                        lambda sources: system.main.struct_pack(
                                                            sources := sources,
                                                            sinks := sinks,
                                                            fresh := system.main.list_filter(system.main.range(1,
                                                                system.main.len(sources) + 1), lambda i:
                                                                sources[i] IS DISTINCT FROM now.sources[i])))[1])[1]
                                                END) AS labels
                                     FROM (
                                         SELECT *,
                                                system.main.list_transform(flows, lambda line: system.main.list_filter(
                                                    system.main.range(1, system.main.len(line) + 1), lambda j: line[j] > 0))
                                                        AS givers
                                         FROM "t_closeness plans"
                                         WHERE system.main.list_aggregate(supply, ''max'') > 0
                                     ) AS plans
                                 ) AS plans
                             ) AS plans
                         ) AS plans
                     ) AS plans
                 ) AS plans
             ) AS plans
         ) AS plans
         QUALIFY at_most * (1 + 1e-9) >= system.main.greatest(best, system.main.max(at_least) OVER ())
     ),
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, largest AS scale, work
         FROM "t_closeness plans"
         WHERE coalesce(system.main.list_aggregate(supply, ''max''), 0) = 0
     )'
    END || '
     SELECT numerator::DOUBLE / denominator AS t,
            numerator AS t_numerator,
            denominator AS t_denominator,
            worst_classes,
            worst_rows,
            classes,
            "rows"
     FROM (
         SELECT worst.work // system.main.gcd(worst.work, worst.whole) AS numerator,
                worst.whole // system.main.gcd(worst.work, worst.whole) AS denominator,
                worst.classes AS worst_classes,
                worst.members AS worst_rows,
                classes,
                "rows"
         FROM (
             SELECT system.main.arg_max(
                        system.main.struct_pack(work := work, whole := whole, classes := classes, members := members), distance)
                            AS worst,
                    coalesce(system.main.max(all_classes), 0)::BIGINT AS classes,
                    coalesce(system.main.max(all_rows), 0)::BIGINT AS "rows"
             FROM (
                 SELECT system.main.struct_pack(whole := work // size, places := work % size * (1::HUGEINT << 84) // size)
                     AS distance,
                        system.main.max(work) AS work,
                        system.main.max(size) * system.main.any_value(all_rows)
                            * system.main.greatest(system.main.any_value(scale), 1) AS whole,
                        system.main.sum(alike)::BIGINT AS classes,
                        system.main.sum(alike * size)::BIGINT AS members,
                        system.main.any_value(all_classes) AS all_classes,
                        system.main.any_value(all_rows) AS all_rows
                 FROM "t_closeness work"
                 GROUP BY distance
             ) AS distances
         ) AS figures
     ) AS figures',
    @other_quasi_identifiers(),
    @table(tbl),
    CASE
        WHEN coalesce(sa::VARCHAR, '') = '' THEN system.main.error('kanon: sa is missing (name the sensitive attribute)')
        WHEN metric::VARCHAR IN ('equal', 'ordered')
            THEN 'system.main.create_sort_key(system.main.row("kanon#own"), ''ASC NULLS LAST'')'
        ELSE 'system.main.encode("kanon#own"::VARCHAR)'
    END,
    CASE
        WHEN coalesce(metric::VARCHAR, '') <> 'hierarchical' AND hierarchy IS NOT NULL
        THEN system.main.error('kanon: a hierarchy belongs to the metric hierarchical only (leave it out)')
        WHEN metric::VARCHAR IN ('equal', 'ordered', 'numeric') THEN ''
        WHEN system.main.list_transform(system.main.list_value(0), lambda zero, place: place) <> system.main.list_value(1)
        THEN system.main.error('kanon: dialect_compatibility_mode counts the places of a lambda from 0 (set it to NONE)')
        ELSE
            @quoted_name(CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR ELSE metric::VARCHAR END)
                ELSE system.main.error(system.main.format('kanon: {} is not the name of a table: {}',
                    CASE metric::VARCHAR WHEN 'hierarchical' THEN 'hierarchy' ELSE 'metric' END,
                    coalesce(
                        CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR ELSE metric::VARCHAR END, 'NULL')))
            END
    END,
    'source."' || system.main.replace(coalesce(sa::VARCHAR, ''), '"', '""') || '"',
    @built_in()
));
