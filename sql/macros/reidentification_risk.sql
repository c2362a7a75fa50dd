-- reidentification_risk(tbl, qi := NULL, population := NULL, fraction := NULL): how likely it is that a row is linked to the
-- right person.
--
-- The risk of a row is 1 / (size of its equivalence class).
--   prosecutor: the attacker knows that the person is in the table. Highest risk 1 / k, average classes / rows.
--   journalist: the attacker does not know it, and looks among all rows of the population that match what a row shows. Without a
--               table of the population, the released table stands for it, and the highest risk is the prosecutor's. This is an
--               upper bound: classes of a population are no smaller.
--   marketer:   the attacker links every row at random within its class; the expected share of right links.
-- If the table is a random sample, the sizes of its classes tell how many rows are unique in the population: three models.
-- NULL is a value like any other: rows that are NULL in the same column are alike there. Text is compared byte by byte
-- whatever the collation of the column ('a' and 'A' are two values even under NOCASE), because the reader sees bytes.
--
-- Arguments:
--   tbl          VARCHAR     name of a table, view, CTE or quoted file, optionally qualified: 'patients', 'main.patients',
--                            'db.schema.t', '"odd ""name"'. It is read as an identifier, never as SQL.
--   qi           VARCHAR[]   the quasi-identifiers; by default every column. Case does not matter, as everywhere in SQL.
--   population   VARCHAR     name of a table of the population with the columns of qi. Values match if their texts are equal; NULL
--                            and '*' of tbl show nothing, so all match. A class that no row matches is an error.
--   fraction     DOUBLE      share of the population that is in tbl, above 0 and below 1
--
-- Result columns (one row; every risk and share is NULL for an empty table):
--   prosecutor_risk             DOUBLE   1 / size of the smallest class
--   prosecutor_risk_average     DOUBLE   classes / rows
--   journalist_risk             DOUBLE   1 / the fewest rows of the population that match a class; without a population, see above
--   marketer_risk               DOUBLE   classes / rows
--   uniques                     BIGINT   rows that are alone in their class
--   uniques_share               DOUBLE   uniques / rows
--   share_above_0_2             DOUBLE   share of rows whose risk is above 0.2: in classes of fewer than 5 rows
--   share_above_0_05            DOUBLE   share of rows whose risk is above 0.05: in classes of fewer than 20 rows
--   population_uniques          DOUBLE   rows that are unique in the population, by the rule of Dankar et al.: for a fraction of up to
--                                        0.1 that of Pitman, else the lesser of the others. NULL without a fraction, as what follows
--   population_uniques_zayatz   DOUBLE   the same by Zayatz' model
--   population_uniques_pitman   DOUBLE   the same by Pitman's model; NULL where the likelihood has no maximum that Newton's method finds
--   population_uniques_snb      DOUBLE   the same by the slide negative binomial model; NULL where its equations have no solution
--   rows                        BIGINT   number of rows
--   classes                     BIGINT   number of classes
--
-- Sources: Zayatz: Estimation of the number of unique population elements using a sample, 1991. Hoshino: Applying Pitman's sampling
-- formula to microdata disclosure risk assessment, 2001. Chen, Keller-McNulty: Estimation of identification disclosure risk in
-- microdata, 1998, with the classes of the population by Shlosser as in Haas, Stokes, 1998. Dankar, El Emam, Neisa, Roffey:
-- Estimating the re-identification risk of clinical data sets, 2012.
-- Cost: one scan, one GROUP BY; with a population one GROUP BY of it for each set of columns that rows show; with a fraction up to 100
-- steps of O(rows).
CREATE OR REPLACE MACRO reidentification_risk(tbl, qi := NULL, population := NULL, fraction := NULL) AS TABLE
FROM system.main.query(system.main.format(
    'WITH "kanon#classes" AS MATERIALIZED (
         SELECT system.main.create_sort_key(system.main.row(*COLUMNS(*)), ''ASC NULLS FIRST'') AS class, system.main.count(*) AS size
         FROM (
             @spelled(SELECT {0} FROM {1} AS source)
         ) AS source
         GROUP BY 1
     ){2}
     SELECT 1::DOUBLE / system.main.min(size) AS prosecutor_risk,
            system.main.count(*)::DOUBLE / system.main.sum(size) AS prosecutor_risk_average,
            {3} AS journalist_risk,
            system.main.count(*)::DOUBLE / system.main.sum(size) AS marketer_risk,
            system.main.count(*) FILTER (size = 1) AS uniques,
            (system.main.count(*) FILTER (size = 1))::DOUBLE / system.main.sum(size) AS uniques_share,
            coalesce(system.main.sum(size) FILTER (size < 5), 0)::DOUBLE / system.main.sum(size) AS share_above_0_2,
            coalesce(system.main.sum(size) FILTER (size < 20), 0)::DOUBLE / system.main.sum(size) AS share_above_0_05,
            {4}
            coalesce(system.main.sum(size), 0)::BIGINT AS "rows",
            system.main.count(*) AS classes
     FROM "kanon#classes"',
    @all_quasi_identifiers(),
    @table(tbl),
    CASE WHEN population IS NULL THEN ''
         WHEN qi IS NULL THEN system.main.error('kanon: a population needs qi, the columns that it shares with the table')
         ELSE system.main.format('
     , "kanon#shown" AS MATERIALIZED (
         SELECT DISTINCT system.main.list_transform(shown, lambda cell: CASE WHEN cell <> ''*'' THEN cell END) AS shown
         FROM (SELECT system.main.list_value(*COLUMNS(*)) AS shown
               FROM (
                   @texts(SELECT {0} FROM {1} AS source)
               ) AS source) AS rows
     ), "kanon#population" AS MATERIALIZED (
         @people()
     ), "kanon#matched" AS (
         SELECT coalesce(many, 0) AS many
         FROM (
             SELECT system.main.list_transform(shown, lambda cell: cell IS NULL) AS hidden,
                    system.main.create_sort_key(system.main.row(shown), ''ASC NULLS FIRST'') AS key
             FROM "kanon#shown"
         ) AS classes
         LEFT JOIN (
             @matching_people()
         ) AS people USING (hidden, key)
     )',
    @all_quasi_identifiers(),
    @table(tbl),
    @table(population))
    END
    || CASE WHEN fraction IS NULL THEN ''
            WHEN NOT coalesce(TRY_CAST(fraction AS DOUBLE) > 0 AND TRY_CAST(fraction AS DOUBLE) < 1, false)
            THEN system.main.error('kanon: fraction is not a number between 0 and 1: the share of the population that is in the table')
            ELSE '
     , "kanon#sizes" AS MATERIALIZED (
         SELECT size::DOUBLE AS size, system.main.count(*)::DOUBLE AS many FROM "kanon#classes" GROUP BY 1
     ), "kanon#sample" AS MATERIALIZED (
         SELECT *, system.main.round(n / f) AS "all", system.main.list_transform(system.main.range(1, u::BIGINT), lambda i: i::DOUBLE) AS places,
                system.main.list_transform(system.main.range(1, n::BIGINT), lambda i: i::DOUBLE) AS numbers
         FROM (
             SELECT system.main.sum(size * many) AS n,
                    system.main.sum(many) AS u,
                    coalesce(system.main.sum(many) FILTER (size = 1), 0) AS c1,
                    coalesce(system.main.sum(many) FILTER (size = 2), 0) AS c2,
                    ' || TRY_CAST(fraction AS DOUBLE)::VARCHAR || '::DOUBLE AS f
             FROM "kanon#sizes"
         ) AS counts
     ), "kanon#larger" AS MATERIALIZED (
         -- how many classes are larger than each size from 1 on
         SELECT coalesce(system.main.list(size ORDER BY size ASC NULLS LAST), []) AS sizes,
                coalesce(system.main.list(many ORDER BY size ASC NULLS LAST), []) AS many
         FROM (
             SELECT size, (SELECT system.main.sum(many) FROM "kanon#sizes" AS sizes WHERE sizes.size > numbers.size) AS many
             FROM (
                 SELECT system.main.unnest(system.main.range(1, (SELECT system.main.max(size) FROM "kanon#sizes")::BIGINT)) AS size
             ) AS numbers
         ) AS larger
     ), "kanon#pitman" AS (
         WITH RECURSIVE "kanon#steps" AS (
             SELECT 0 AS step, 1e9 AS moved,
                    CASE WHEN system.main.isfinite(t) AND t > 0 THEN t ELSE 1 END AS t,
                    CASE WHEN system.main.isfinite(a) AND a > 0 AND a < 1 THEN a ELSE 0.5 END AS a
             FROM (
                 SELECT t, (t * (c1 - n) + (n - 1) * c1) / (n * u) AS a
                 FROM (
                     SELECT n, u, c1, (n * u * c - c1 * (n - 1) * (2 * u + c)) / (2 * c1 * u + c1 * c - n * c) AS t
                     FROM (SELECT n, u, c1, c1 * (c1 - 1) / system.main.greatest(c2, 1) AS c FROM "kanon#sample" WHERE c1 > 0) AS given
                 ) AS given
             ) AS given
             UNION ALL
             SELECT step + 1, system.main.abs(next_t - t) / (1 + system.main.abs(t)) + system.main.abs(next_a - a), next_t, next_a
             FROM (
                 SELECT step, t, a, next_a, CASE WHEN next_t > -next_a THEN next_t ELSE (t - next_a) / 2 END AS next_t
                 FROM (
                     SELECT step, t, a, t - (f1 * j22 - f2 * j12) / (j11 * j22 - j12 * j12) AS next_t,
                            system.main.greatest(a / 2, system.main.least((1 + a) / 2, a - (f2 * j11 - f1 * j12) / (j11 * j22 - j12 * j12))) AS next_a
                     FROM (
                         SELECT step, t, a,
                                system.main.list_aggregate(system.main.list_transform(places, lambda i: 1 / (t + i * a)), ''sum'')
                                    - system.main.list_aggregate(system.main.list_transform(numbers, lambda i: 1 / (t + i)), ''sum'') AS f1,
                                system.main.list_aggregate(system.main.list_transform(places, lambda i: i / (t + i * a)), ''sum'')
                                    - coalesce(system.main.list_aggregate(system.main.list_transform(sizes, lambda i: many[i] / (i - a)), ''sum''), 0) AS f2,
                                system.main.list_aggregate(system.main.list_transform(numbers, lambda i: 1 / ((t + i) * (t + i))), ''sum'')
                                    - system.main.list_aggregate(system.main.list_transform(places, lambda i: 1 / ((t + i * a) * (t + i * a))), ''sum'') AS j11,
                                -system.main.list_aggregate(system.main.list_transform(places, lambda i: i / ((t + i * a) * (t + i * a))), ''sum'') AS j12,
                                -system.main.list_aggregate(system.main.list_transform(places, lambda i: i * i / ((t + i * a) * (t + i * a))), ''sum'')
                                    - coalesce(system.main.list_aggregate(system.main.list_transform(sizes, lambda i: many[i] / ((i - a) * (i - a))), ''sum''), 0) AS j22
                         FROM "kanon#steps", "kanon#sample", "kanon#larger"
                         WHERE step < 100 AND moved > 1e-10
                     ) AS slopes
                 ) AS steps
             ) AS steps
         )
         SELECT system.main.exp(system.main.lgamma(t + 1) - system.main.lgamma(t + a) + a * system.main.ln("all")) AS uniques
         FROM "kanon#steps", "kanon#sample" WHERE moved <= 1e-10
     ), "kanon#shlosser" AS (
         SELECT system.main.any_value(u) + system.main.any_value(c1) * system.main.sum(size * f * f * system.main.pow(1 - f * f, size - 1) * many)
                    / system.main.sum(system.main.pow(1 - f, size) * (system.main.pow(1 + f, size) - 1) * many)
                    * system.main.pow(system.main.sum(system.main.pow(1 - f, size) * many) / system.main.sum(size * f * system.main.pow(1 - f, size - 1) * many), 2) AS k
         FROM "kanon#sizes", "kanon#sample"
     ), "kanon#snb" AS (
         WITH RECURSIVE "kanon#steps" AS (
             SELECT 0 AS step, system.main.row_number() OVER (ORDER BY a ASC NULLS LAST, b ASC NULLS LAST) AS start, a, b, 1e9 AS off
             FROM (SELECT system.main.unnest([1, 0.1, 0.01, 10]::DOUBLE[]) AS a) AS a, (SELECT system.main.unnest([0.5, 0.1, 0.01, 0.9]::DOUBLE[]) AS b) AS b
             UNION ALL
             SELECT step + 1, start,
                    a * system.main.exp(system.main.greatest(-1, system.main.least(1, -(g1 * j22 - g2 * j12) / (j11 * j22 - j12 * j21)))),
                    1 / (1 + (1 - b) / b * system.main.exp(-system.main.greatest(-1, system.main.least(1, -(g2 * j11 - g1 * j21) / (j11 * j22 - j12 * j21))))),
                    system.main.abs(g1) + system.main.abs(g2)
             FROM (
                 SELECT step, start, a, b,
                        system.main.ln(k * f / c1) + a * system.main.ln(b / w) + system.main.ln(1 + a * d / w) AS g1,
                        system.main.ln(k * f * f / 2 / c2) + system.main.ln(a) + a * system.main.ln(b) + system.main.ln(1 - b)
                            - (a + 2) * system.main.ln(w) + system.main.ln(2 - (1 - a) * d) AS g2,
                        a * (system.main.ln(b / w) + d / (w + a * d)) AS j11,
                        b * (1 - b) * a * (1 / b - (1 - f) / w - (1 - f) / (w * (w + a * d))) AS j12,
                        a * (1 / a + system.main.ln(b / w) + d / (2 - (1 - a) * d)) AS j21,
                        b * (1 - b) * (a / b - 1 / (1 - b) - (a + 2) * (1 - f) / w + (1 - a) * (1 - f) / (2 - (1 - a) * d)) AS j22
                 FROM (
                     SELECT *, (1 - b) * (1 - f) AS d, 1 - (1 - b) * (1 - f) AS w
                     FROM "kanon#steps", "kanon#sample", "kanon#shlosser"
                     WHERE step < 100 AND off > 1e-10 AND c1 > 0 AND c2 > 0 AND a BETWEEN 1e-9 AND 1e9 AND b BETWEEN 1e-12 AND 1 - 1e-12
                 ) AS steps
             ) AS slopes
             WHERE system.main.isfinite(g1) AND system.main.isfinite(g2) AND j11 * j22 <> j12 * j21
         )
         SELECT system.main.min_by(k * system.main.pow(b, a), start) AS uniques
         FROM "kanon#steps", "kanon#shlosser", "kanon#sample" WHERE off <= 1e-10 AND k * system.main.pow(b, a) <= "all"
     ), "kanon#zayatz" AS (
         SELECT system.main.any_value(c1) * system.main.any_value(c1) / system.main.any_value(f)
                    / system.main.sum(CASE WHEN "all" - size >= n - 1
                               THEN many * size * system.main.exp(system.main.lgamma("all" - size + 1) - system.main.lgamma("all" - size - n + 2)
                                                                  - system.main.lgamma("all") + system.main.lgamma("all" - n + 1))
                               ELSE 0 END) AS uniques
         FROM "kanon#sizes", "kanon#sample"
     ), "kanon#estimates" AS MATERIALIZED (
         SELECT CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE zayatz END AS zayatz, CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE pitman END AS pitman,
                CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE snb END AS snb, f
         FROM (
             SELECT n, c1, f, (SELECT uniques FROM "kanon#zayatz") AS zayatz, (SELECT uniques FROM "kanon#pitman") AS pitman,
                    (SELECT uniques FROM "kanon#snb") AS snb
             FROM "kanon#sample"
         ) AS models
     )'
    END,
    CASE WHEN population IS NULL THEN '1::DOUBLE / system.main.min(size)' ELSE
        '(SELECT CASE WHEN system.main.count(*) FILTER (many = 0) > 0
                      THEN system.main.error(system.main.format(''kanon: {} classes match no row of the population (take the coarser'
        || ' cells of the table for the population, too)'', system.main.count(*) FILTER (many = 0)))
                      ELSE 1::DOUBLE / system.main.min(many) END FROM "kanon#matched")'
    END,
    CASE WHEN fraction IS NULL
         THEN 'NULL::DOUBLE AS population_uniques, NULL::DOUBLE AS population_uniques_zayatz,
            NULL::DOUBLE AS population_uniques_pitman, NULL::DOUBLE AS population_uniques_snb,'
         ELSE '(SELECT CASE WHEN f <= 0.1 THEN coalesce(pitman, zayatz) ELSE system.main.least(zayatz, snb) END FROM "kanon#estimates")
                AS population_uniques,
            (SELECT zayatz FROM "kanon#estimates") AS population_uniques_zayatz,
            (SELECT pitman FROM "kanon#estimates") AS population_uniques_pitman,
            (SELECT snb FROM "kanon#estimates") AS population_uniques_snb,'
    END,
    @built_in()
));
