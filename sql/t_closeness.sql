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
--   anything else    names a table with the columns a, b, distance: their distance there
-- Every figure is computed in whole numbers and is exact, that of a table of distances too: every class whose bounds leave
-- it a chance to be the worst gets an optimal transport plan. Fractional numbers and distances count to 18 decimals.
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
--                           stands for both directions, rows (a, a, 0) may be missing, and the largest distance is 1.
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
FROM query(format(
    -- A pair is a value in a histogram: held rows of the size of each class that has it. Classes with one histogram are alike.
    -- A histogram is a list of whole numbers, place of the value * 2^42 + held.
    'WITH RECURSIVE "t_closeness cells" AS MATERIALIZED (
         SELECT class, value, system.main.sum(held)::BIGINT AS held
         FROM (
             SELECT class, system.main.min(value) OVER (PARTITION BY own) AS value, held
             FROM (
                 SELECT system.main.create_sort_key(system.main.row(true, {0}), ''ASC NULLS FIRST'') AS class,
                        {4} AS own, system.main.min({2}) AS value, system.main.count(*) AS held
                 FROM {1} AS source
                 GROUP BY 1, 2
             ) AS spelled
         ) AS spelled
         GROUP BY class, value
     ),
     "t_closeness values" AS MATERIALIZED (
         SELECT value, row_number() OVER (ORDER BY value ASC) AS place, sum(held) AS mass
         FROM "t_closeness cells"
         GROUP BY value
     ),
     "t_closeness pairs" AS MATERIALIZED (
         SELECT id, alike, size, all_classes, all_rows,
                (pair // (1::HUGEINT << 42))::BIGINT AS place,
                (pair % (1::HUGEINT << 42))::BIGINT AS held
         FROM (
             SELECT *, unnest(histogram) AS pair
             FROM (
                 SELECT row_number() OVER () AS id,
                        histogram,
                        size,
                        count(*) AS alike,
                        sum(count(*)) OVER () AS all_classes,
                        sum(size * count(*)) OVER () AS all_rows
                 FROM (
                     SELECT list_sort(list(place * (1::HUGEINT << 42) + held)) AS histogram, sum(held) AS size
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
         SELECT alike, size, all_classes, all_rows, 1 AS scale, sum(greatest(0, all_rows * held - size * mass)) AS work
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
                max(spot) OVER () AS last_spot,
                max(spot * rows_up_to - moment) OVER () AS last_area
         FROM (
             SELECT place,
                    spot,
                    sum(mass) OVER (ORDER BY spot ASC) AS rows_up_to,
                    sum(mass * spot) OVER (ORDER BY spot ASC) AS moment
             FROM (' || CASE metric::VARCHAR
            WHEN 'ordered' THEN '
                 SELECT place, mass, place::HUGEINT - 1 AS spot FROM "t_closeness values"'
            ELSE '
                 SELECT place,
                        mass,
                        CASE
                            WHEN (max(number) OVER ())::DOUBLE - (min(number) OVER ())::DOUBLE > 1e37 / (sum(mass) OVER ())
                            THEN error(''kanon: the numbers in sa have too many digits for exact sums (round them)'')
                            ELSE number - min(number) OVER ()
                        END AS spot
                 FROM (
                     SELECT *, digits::HUGEINT // (''1'' || repeat(''0'', min(zeros) OVER ()))::HUGEINT AS number
                     FROM (
                         SELECT *, least(18, length(digits) - length(rtrim(digits, ''0''))) AS zeros
                         FROM (
                             SELECT place,
                                    mass,
                                    CASE
                                        WHEN bool_or(value IS NULL) OVER ()
                                        THEN error(''kanon: sa holds NULL, which has no distance in the metric numeric'')
                                        WHEN bool_and(digits IS NOT NULL) OVER () THEN digits
                                        WHEN bool_and(moment IS NOT NULL) OVER () THEN moment::VARCHAR
                                        ELSE error(''kanon: the values of sa are not all numbers below 10^20 or all dates'')
                                    END AS digits
                             FROM (
                                 SELECT *,
                                        replace(TRY_CAST(decode(value) AS DECIMAL(38, 18))::VARCHAR, ''.'', '''') AS digits,
                                        CASE
                                            WHEN regexp_matches(decode(value), '':[0-9]+([.][0-9]+)?[-+][0-9:]+$'')
                                            THEN epoch_us(TRY_CAST(decode(value) AS TIMESTAMPTZ))
                                            ELSE epoch_us(TRY_CAST(decode(value) AS TIMESTAMP))
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
                sum(CASE
                    WHEN last_spot::DOUBLE * all_rows * size > 1e37
                    THEN error(''kanon: the numbers in sa have too many digits for exact sums (round them)'')
                    ELSE CASE WHEN lowest THEN size * area ELSE 0 END
                         + all_rows * held * (2 * turn - spot - next_spot)
                         - size * (2 * turn_area - area - next_area)
                END) AS work
         FROM (
             SELECT stairs.*,
                    greatest(stairs.spot, least(next_spot, coalesce(cuts.spot, next_spot))) AS turn,
                    greatest(stairs.area, least(next_area, coalesce(cuts.area, next_area))) AS turn_area
             FROM (
                 SELECT id, alike, size, all_classes, all_rows, spot, area, last_spot,
                        sum(held) OVER class AS held,
                        lead(spot, 1, last_spot) OVER class AS next_spot,
                        lead(area, 1, last_area) OVER class AS next_area,
                        row_number() OVER class = 1 AS lowest
                 FROM "t_closeness pairs" JOIN "t_closeness line" USING (place)
                 WINDOW class AS (PARTITION BY id ORDER BY spot ASC ROWS UNBOUNDED PRECEDING)
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
                    WHEN count(*) OVER (PARTITION BY way[1]) > 1
                    THEN error(''kanon: the hierarchy is no tree: two different rows begin with the same value'')
                    ELSE way
                END AS way,
                levels,
                count(*) OVER () AS edges
         FROM (
             SELECT DISTINCT
                    levels,
                    CASE
                        WHEN levels AND list_count(labels) < len(labels) - CASE WHEN labels[1] IS NULL THEN 1 ELSE 0 END
                        THEN error(''kanon: the hierarchy has an empty cell above level0'')
                        WHEN levels OR labels[2] IS NOT NULL AND labels[1] IS DISTINCT FROM labels[2] THEN labels
                        ELSE labels[:1]
                    END AS way
             FROM (
                 SELECT list_transform(cells, lambda cell: cell.label) AS labels,
                        CASE
                            WHEN len(cells) < 2
                                 OR list_transform(cells, lambda cell: cell.step) IS DISTINCT FROM range(len(cells))
                                 OR (cells[1].form = ''level'') <> (cells[-1].form = ''level'')
                            THEN error(''kanon: the columns of the hierarchy are not value, parent or level0, level1, ...'')
                            ELSE cells[1].form = ''level''
                        END AS levels
                 FROM (
                     SELECT list_sort(list_value(*COLUMNS(*)), ''ASC'') AS cells
                     FROM (
                         SELECT struct_pack(
                             step := CASE
                                 WHEN lower(alias(COLUMNS(*))) = ''value'' THEN 0
                                 WHEN lower(alias(COLUMNS(*))) = ''parent'' THEN 1
                                 WHEN starts_with(lower(alias(COLUMNS(*))), ''level'')
                                 THEN TRY_CAST(substr(alias(COLUMNS(*)), 6) AS BIGINT)
                             END,
                             form := lower(alias(COLUMNS(*)))[:5],
                             label := encode(COLUMNS(*)::VARCHAR))
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
                    WHEN len(climbs.way) > edges
                    THEN error(''kanon: the hierarchy is no tree: its parents lead round in a circle'')
                    ELSE list_append(climbs.way, edges.way[2])
                END,
                false
         FROM "t_closeness climbs" AS climbs
         JOIN "t_closeness edges" AS edges ON edges.way[1] = climbs.way[-1]
         WHERE NOT climbs.levels AND len(climbs.way) > 1 AND len(edges.way) > 1
     ),
     "t_closeness ways" AS MATERIALIZED (
         SELECT value,
                step - 1 AS height,
                struct_pack(level := CASE WHEN levels THEN step ELSE 1 END, label := way[step]) AS node,
                CASE
                    WHEN step < len(way)
                    THEN struct_pack(level := CASE WHEN levels THEN step + 1 ELSE 1 END, label := way[step + 1])
                END AS above
         FROM (
             SELECT *, way[1] AS value, unnest(range(1, len(way) + 1)) AS step
             FROM (
                 SELECT DISTINCT
                        levels,
                        unnest(CASE WHEN levels THEN [way] ELSE list_transform(way, lambda label, i: way[i:]) END) AS way
                 FROM (
                     SELECT arg_max(way, len(way)) AS way, any_value(levels) AS levels
                     FROM "t_closeness climbs"
                     GROUP BY way[1]
                 ) AS ways
             ) AS ways
         ) AS ways
     ),
     "t_closeness nodes" AS MATERIALIZED (
         SELECT node,
                CASE
                    WHEN parents > 1 THEN error(''kanon: the hierarchy is no tree: a node has two parents'')
                    WHEN count(*) FILTER (parents = 0) OVER () > 1
                    THEN error(''kanon: the hierarchy has several roots: all its values must end in one'')
                    ELSE height
                END AS height,
                max(height) OVER () AS scale
         FROM (
             SELECT node, max(height) AS height, count(DISTINCT above) AS parents FROM "t_closeness ways" GROUP BY node
         ) AS nodes
     ),
     "t_closeness branches" AS (
         SELECT value, ways.node AS node, upper.height - lower.height AS length, lower.scale AS scale
         FROM "t_closeness ways" AS ways
         JOIN "t_closeness nodes" AS lower ON lower.node = ways.node
         JOIN "t_closeness nodes" AS upper ON upper.node = ways.above
         UNION ALL
         SELECT value, struct_pack(level := 0, label := value), nodes.height, nodes.scale
         FROM "t_closeness ways" AS ways
         JOIN "t_closeness nodes" AS nodes ON nodes.node = ways.node
         WHERE ways.height = 0
     ),
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, any_value(scale) AS scale,
                sum(length * greatest(0, all_rows * held - size * mass)) AS work
         FROM (
             SELECT *, sum(held * alike) OVER (PARTITION BY node) AS mass
             FROM (
                 SELECT id, alike, size, all_classes, all_rows, node, length, scale, sum(held) AS held
                 FROM "t_closeness pairs"
                 JOIN (
                     SELECT place,
                            length,
                            scale,
                            CASE
                                WHEN node IS NULL
                                THEN error(''kanon: the hierarchy lacks a value of sa (compared by their text)'')
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
        ELSE '
     "t_closeness space" AS (
         SELECT masses,
                largest,
                CASE
                    WHEN list_min(list_transform(matrix, lambda x: len(x))) < len(matrix)
                    THEN error(''kanon: the table of distances lacks a pair of values of sa (compared by their text)'')
                    WHEN list_max(list_transform(matrix, lambda x: list_max(list_transform(matrix, lambda y, j:
                             x[j] - list_min(list_transform(x, lambda d, z: d + y[z])))))) > largest // 1000000000
                    THEN error(''kanon: the distances are no metric: for a pair of values the way over a third is shorter'')
                    ELSE matrix
                END AS matrix
         FROM (
             SELECT list(mass ORDER BY place ASC) AS masses,
                    list(distances ORDER BY place ASC) AS matrix,
                    max(largest) AS largest
             FROM (
                 SELECT place, list(distance ORDER BY other ASC) AS distances, max(largest) AS largest
                 FROM (
                     SELECT place,
                            other,
                            CASE
                                WHEN min(distance) = max(distance) THEN min(distance)
                                WHEN place = other
                                THEN error(''kanon: the table of distances puts a value at a distance from itself'')
                                ELSE error(''kanon: the table of distances has two distances for one pair of values'')
                            END AS distance,
                            max(largest) AS largest
                     FROM (
                         SELECT here.place AS place, there.place AS other, distance, largest
                         FROM (
                             SELECT unnest([struct_pack(a := a, b := b), struct_pack(a := b, b := a)]) AS pair,
                                    distance,
                                    max(distance) OVER () AS largest
                             FROM (
                                 SELECT a,
                                        b,
                                        CASE
                                            WHEN digits IS NULL
                                            THEN error(''kanon: the table of distances has one that is no number'')
                                            WHEN starts_with(digits, ''-'')
                                            THEN error(''kanon: the table of distances has one below 0'')
                                            WHEN max(digits::HUGEINT) FILTER (a IS DISTINCT FROM b) OVER () <> 1e18::HUGEINT
                                            THEN error(''kanon: the largest distance in the table is not 1 (divide by it)'')
                                            ELSE digits::HUGEINT // (''1'' || repeat(''0'', min(zeros) OVER ()))::HUGEINT
                                        END AS distance
                                 FROM (
                                     SELECT *, least(18, length(digits) - length(rtrim(digits, ''0''))) AS zeros
                                     FROM (
                                         SELECT encode(source.a::VARCHAR) AS a,
                                                encode(source.b::VARCHAR) AS b,
                                                replace(
                                                    TRY_CAST(source.distance::VARCHAR AS DECIMAL(30, 18))::VARCHAR,
                                                    ''.'',
                                                    '''') AS digits
                                         FROM {3} AS source
                                     ) AS texts
                                 ) AS texts
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
                list_transform(sources, lambda i: excess[i]) AS supply,
                list_transform(sinks, lambda j: -excess[j]) AS demand,
                list_transform(sources, lambda i, s: list_transform(sinks, lambda j: matrix[i][j] * base + s)) AS fares,
                list_transform(sources, lambda i: list_transform(sinks, lambda j: 0::HUGEINT)) AS flows,
                0::HUGEINT AS work,
                0::DOUBLE AS best
         FROM (
             SELECT *,
                    list_filter(range(1, len(excess) + 1), lambda i: excess[i] > 0) AS sources,
                    list_filter(range(1, len(excess) + 1), lambda j: excess[j] < 0) AS sinks,
                    len(excess)::HUGEINT + 1 AS base
             FROM (
                 SELECT *,
                        list_transform(masses, lambda mass, i: CASE
                            WHEN largest::DOUBLE * len(masses) * all_rows * size > 1e37
                            THEN error(''kanon: the distances have too many digits for exact sums (round them)'')
                            ELSE all_rows * coalesce(pairs[list_position(places, i)].held, 0) - size * mass
                        END) AS excess
                 FROM (
                     SELECT *, list_transform(pairs, lambda pair: pair.place) AS places
                     FROM (
                         SELECT id, alike, size, all_classes, all_rows,
                                list(struct_pack(place := place, held := held)) AS pairs
                         FROM "t_closeness pairs"
                         GROUP BY id, alike, size, all_classes, all_rows
                     ) AS histograms
                 ) AS histograms
                 CROSS JOIN "t_closeness space"
             ) AS histograms
         ) AS histograms
         UNION ALL
         SELECT id, alike, size, all_classes, all_rows, largest, base, supply, demand, fares, flows, work,
                greatest(best, max(at_least) OVER ())
         FROM (
             SELECT *,
                    (work::DOUBLE + list_sum(list_transform(demand, lambda d, j: d::DOUBLE * reach[j]))) / size AS at_least,
                    (work::DOUBLE + list_sum(list_transform(supply, lambda s, i: s::DOUBLE * list_sum(
                        list_transform(demand, lambda d, j: d::DOUBLE * (fares[i][j] // base)))))
                        / greatest(list_sum(supply), 1)) / size AS at_most
             FROM (
                 SELECT id, alike, size, all_classes, all_rows, largest, base, fares, best, reach,
                        list_transform(supply, lambda s, i: CASE via[i] WHEN 0 THEN left_over.room[i] ELSE s END) AS supply,
                        left_over.demand AS demand,
                        list_transform(flows, lambda line, i: list_transform(line, lambda flow, j: flow
                            + CASE origin[j] WHEN i THEN through[j] ELSE 0 END
                            - CASE via[i] WHEN j THEN room[i] - left_over.room[i] ELSE 0 END)) AS flows,
                        work + list_sum(list_transform(demand, lambda d, j: (d - left_over.demand[j]) * reach[j])) AS work
                 FROM (
                     SELECT *,
                            list_transform(demand, lambda d, j: d - left_over.demand[j] + list_sum(list_transform(
                                via, lambda v, i: CASE v WHEN j THEN room[i] - left_over.room[i] ELSE 0 END))) AS through
                     FROM (
                         SELECT *,
                                list_reduce(
                                    list_prepend(
                                        struct_pack(room := room, demand := demand, sink := 0::BIGINT),
                                        list_transform(
                                            list_sort(list_filter(
                                                list_transform(
                                                    reach, lambda r, j: CASE WHEN demand[j] > 0 THEN r * base + j END),
                                                lambda label: label IS NOT NULL)),
                                            lambda label:
                                                struct_pack(room := room, demand := demand, sink := (label % base)::BIGINT))),
                                    lambda now, next: list_transform(
                                        [list_reduce(
                                            list_transform(range(len(via) + 1), lambda i: [origin[next.sink]]),
                                            lambda way, e: CASE via[way[-1]]
                                                WHEN 0 THEN way ELSE list_append(way, origin[via[way[-1]]]) END)],
                                        lambda way: list_transform(
                                            [least(
                                                now.demand[next.sink], list_min(list_transform(way, lambda i: now.room[i])))],
                                            lambda amount: struct_pack(
                                                room := list_transform(now.room, lambda r, i:
                                                    CASE WHEN list_contains(way, i) THEN r - amount ELSE r END),
                                                demand := list_transform(now.demand, lambda d, j:
                                                    CASE next.sink WHEN j THEN d - amount ELSE d END),
                                                sink := 0::BIGINT))[1])[1]) AS left_over
                         FROM (
                             SELECT *,
                                    list_transform(via, lambda v, i: CASE v WHEN 0 THEN supply[i] ELSE flows[i][v] END) AS room
                             FROM (
                                 SELECT *,
                                        list_transform(labels.sources, lambda label: (label % base)::BIGINT) AS via,
                                        list_transform(labels.sinks, lambda label: (label % base)::BIGINT) AS origin,
                                        list_transform(labels.sinks, lambda label: label // base) AS reach
                                 FROM (
                                     SELECT *,
                                            list_reduce(
                                                list_transform(range(len(supply) + 1), lambda i: struct_pack(
                                                    sources := list_transform(
                                                        supply, lambda s: CASE WHEN s > 0 THEN 0::HUGEINT END),
                                                    sinks := list_transform(demand, lambda d: NULL::HUGEINT),
                                                    fresh := list_filter(range(1, len(supply) + 1), lambda i: supply[i] > 0))),
                                                lambda now, next: CASE WHEN len(now.fresh) = 0 THEN now ELSE list_transform(
                                                    [list_transform(now.sinks, lambda old, j: list_transform(
                                                        [list_min(list_transform(now.fresh, lambda i:
                                                            now.sources[i] // base * base + fares[i][j]))],
                                                        lambda new:
                                                            CASE WHEN new // base >= old // base THEN old ELSE new END)[1])],
                                                    lambda sinks: list_transform(
                                                        [list_transform(now.sources, lambda old, i: list_transform(
                                                            [list_min(list_transform(givers[i], lambda j:
                                                                (sinks[j] // base - fares[i][j] // base) * base + j))],
                                                            lambda new: CASE
                                                                WHEN new IS NULL OR new // base >= old // base THEN old
                                                                ELSE new END)[1])],
                                                        lambda sources: struct_pack(
                                                            sources := sources,
                                                            sinks := sinks,
                                                            fresh := list_filter(range(1, len(sources) + 1), lambda i:
                                                                sources[i] IS DISTINCT FROM now.sources[i])))[1])[1]
                                                END) AS labels
                                     FROM (
                                         SELECT *,
                                                list_transform(flows, lambda line: list_filter(
                                                    range(1, len(line) + 1), lambda j: line[j] > 0)) AS givers
                                         FROM "t_closeness plans"
                                         WHERE list_max(supply) > 0
                                     ) AS plans
                                 ) AS plans
                             ) AS plans
                         ) AS plans
                     ) AS plans
                 ) AS plans
             ) AS plans
         ) AS plans
         QUALIFY at_most * (1 + 1e-9) >= greatest(best, max(at_least) OVER ())
     ),
     "t_closeness work" AS (
         SELECT alike, size, all_classes, all_rows, largest AS scale, work
         FROM "t_closeness plans"
         WHERE coalesce(list_max(supply), 0) = 0
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
         SELECT worst.work // gcd(worst.work, worst.whole) AS numerator,
                worst.whole // gcd(worst.work, worst.whole) AS denominator,
                worst.classes AS worst_classes,
                worst.members AS worst_rows,
                classes,
                "rows"
         FROM (
             SELECT arg_max(
                        struct_pack(work := work, whole := whole, classes := classes, members := members), distance) AS worst,
                    coalesce(max(all_classes), 0)::BIGINT AS classes,
                    coalesce(max(all_rows), 0)::BIGINT AS "rows"
             FROM (
                 SELECT struct_pack(whole := work // size, places := work % size * (1::HUGEINT << 84) // size) AS distance,
                        max(work) AS work,
                        max(size) * any_value(all_rows) * greatest(any_value(scale), 1) AS whole,
                        sum(alike)::BIGINT AS classes,
                        sum(alike * size)::BIGINT AS members,
                        any_value(all_classes) AS all_classes,
                        any_value(all_rows) AS all_rows
                 FROM "t_closeness work"
                 GROUP BY distance
             ) AS distances
         ) AS figures
     ) AS figures',
    CASE
        WHEN qi IS NULL THEN '*COLUMNS(source.* EXCLUDE ("' || replace(coalesce(sa::VARCHAR, ''), '"', '""') || '"))'
        WHEN len(qi::VARCHAR[]) = 0 THEN error('kanon: qi is an empty list (NULL takes every column but sa)')
        WHEN list_count(qi::VARCHAR[]) < len(qi::VARCHAR[]) THEN error('kanon: qi holds NULL instead of a column name')
        WHEN list_unique([lower(name) FOR name IN qi::VARCHAR[]]) < len(qi::VARCHAR[])
        THEN error('kanon: qi names a column twice')
        WHEN list_contains([lower(name) FOR name IN qi::VARCHAR[]], lower(sa::VARCHAR))
        THEN error('kanon: sa is one of the columns of qi (a sensitive attribute is no quasi-identifier)')
        ELSE array_to_string(['source."' || replace(name, '"', '""') || '"' FOR name IN qi::VARCHAR[]], ', ')
    END,
    CASE array_to_string(
            regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
            '.')
        WHEN nullif(tbl::VARCHAR, '')
        THEN array_to_string(
            [CASE WHEN starts_with(part, '"') THEN part ELSE '"' || part || '"' END
             FOR part IN regexp_extract_all(tbl::VARCHAR, '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')],
            '.')
        ELSE error(format('kanon: tbl is not the name of a table: {} (write patients, main.patients or "odd name")',
            coalesce(tbl::VARCHAR, 'NULL')))
    END,
    CASE
        WHEN coalesce(sa::VARCHAR, '') = '' THEN error('kanon: sa is missing (name the sensitive attribute)')
        ELSE format(
            CASE
                WHEN metric::VARCHAR IN ('equal', 'ordered') THEN 'create_sort_key(row(source.{0}), ''ASC NULLS LAST'')'
                ELSE 'encode(source.{0}::VARCHAR)'
            END,
            '"' || replace(coalesce(sa::VARCHAR, ''), '"', '""') || '"')
    END,
    CASE
        WHEN coalesce(metric::VARCHAR, '') <> 'hierarchical' AND hierarchy IS NOT NULL
        THEN error('kanon: a hierarchy belongs to the metric hierarchical only (leave it out)')
        WHEN metric::VARCHAR IN ('equal', 'ordered', 'numeric') THEN ''
        ELSE
            CASE array_to_string(
                    regexp_extract_all(
                        CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR ELSE metric::VARCHAR END,
                        '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')[:3],
                    '.')
                WHEN nullif(CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR ELSE metric::VARCHAR END, '')
                THEN array_to_string(
                    [CASE WHEN starts_with(part, '"') THEN part ELSE '"' || part || '"' END
                     FOR part IN regexp_extract_all(
                         CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR ELSE metric::VARCHAR END,
                         '"(?:[^"\x00]|"")+"|[A-Za-z0-9_$\x{80}-\x{10FFFF}]+')],
                    '.')
                ELSE error(format('kanon: {} is not the name of a table: {}',
                    CASE metric::VARCHAR WHEN 'hierarchical' THEN 'hierarchy' ELSE 'metric' END,
                    coalesce(
                        CASE metric::VARCHAR WHEN 'hierarchical' THEN hierarchy::VARCHAR ELSE metric::VARCHAR END, 'NULL')))
            END
    END,
    'source."' || replace(coalesce(sa::VARCHAR, ''), '"', '""') || '"'
));
