-- The distances of a table as fractions in lowest terms, NULL where a text is no number of at least 0.
SELECT a, b, CASE WHEN same THEN found.h ELSE above END AS above, CASE WHEN same THEN found.k ELSE below END AS below
FROM (
    SELECT *, found.k > 0 AND found.h::DOUBLE / system.main.nullif(found.k, 0) = near AS same
    FROM (
        -- a DOUBLE counts as the first convergent of its continued fraction that is the same DOUBLE
        SELECT *, system.main.list_reduce(
                   system.main.list_transform(
                       system.main.range(CASE WHEN digits <= 17 AND below > 1000000 THEN 40 ELSE 1 END),
                       lambda each: system.main.struct_pack(above := above, below := below, h := 1::HUGEINT,
                           k := 0::HUGEINT, last_h := 0::HUGEINT, last_k := 1::HUGEINT)),
                   lambda s, each: CASE
                       WHEN s.below = 0 THEN s
                       WHEN s.k > 0 AND s.h::DOUBLE / system.main.nullif(s.k, 0) = near THEN s
                       WHEN (s.above // s.below) * s.k + s.last_k > 1000000 THEN s
                       WHEN ((s.above // s.below) * s.k + s.last_k) * ((s.above // s.below) * s.h + s.last_h) > 1000000000000
                            THEN s
                       ELSE system.main.struct_pack(above := s.below, below := s.above % s.below,
                           h := (s.above // s.below) * s.h + s.last_h,
                           k := (s.above // s.below) * s.k + s.last_k, last_h := s.h, last_k := s.k)
                   END) AS found
        FROM (
            -- in lowest terms
            SELECT a, b, digits, TRY_CAST(written AS DOUBLE) AS near,
                   above // system.main.gcd(above, below) AS above, below // system.main.gcd(above, below) AS below
            FROM (
                SELECT a, b, written, system.main.length(core) AS digits,
                       CASE
                           WHEN is_quotient THEN system.main.nullif(
                               system.main.regexp_extract(written, '/([0-9]+)', 1)::HUGEINT, 0)
                           WHEN core = '' THEN 1
                           WHEN system.main.length(core) > 37 OR places > 37
                               OR system.main.length(core) - places > 37
                               OR system.main.starts_with(written, '-') THEN NULL
                           ELSE ('1' || system.main.repeat('0', system.main.greatest(places, 0)))::HUGEINT
                       END AS below,
                       CASE
                           WHEN is_quotient THEN system.main.regexp_extract(written, '([0-9]+)/', 1)::HUGEINT
                           WHEN core = '' THEN 0
                           WHEN below IS NULL THEN NULL
                           ELSE (core || system.main.repeat('0', system.main.greatest(-places, 0)))::HUGEINT
                       END AS above
                FROM (
                    SELECT a, b, written, is_quotient, system.main.rtrim(digits, '0') AS core,
                           system.main.length(parts.part) - coalesce(TRY_CAST(parts.exponent AS INTEGER), 0)
                           - (system.main.length(digits) - system.main.length(system.main.rtrim(digits, '0')))
                               AS places
                    FROM (
                        SELECT *, system.main.ltrim(parts.whole || parts.part, '0') AS digits
                        FROM (
                            SELECT a, b, written,
                                   system.main.regexp_full_match(written, '[0-9]{1,18}/[0-9]{1,18}')
                                       AS is_quotient,
                                   CASE WHEN system.main.regexp_full_match(written, '^-?([0-9]{0,37})(?:\.([0-9]{0,37}))?(?:[eE]([+-]?[0-9]{1,3}))?$$')
                                           AND system.main.regexp_matches(written, '^-?\.?[0-9]')
                                       THEN system.main.regexp_extract(written, '^-?([0-9]{0,37})(?:\.([0-9]{0,37}))?(?:[eE]([+-]?[0-9]{1,3}))?$$',
                                                                       ['whole', 'part', 'exponent'])
                                   END AS parts
                            FROM (
                                SELECT ${a} AS a, ${b} AS b, system.main.trim("kanon#t".distance::VARCHAR) AS written
                                FROM ${table} AS "kanon#t"
                            )
                        )
                    )
                )
            )
        )
    )
)
