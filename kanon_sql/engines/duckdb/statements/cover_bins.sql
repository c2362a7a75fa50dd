-- a bin has a number that does not tell its values: each value is in one bin
    SELECT system.main.count(*) FILTER (NOT system.main.regexp_full_match(label, '(bin|region) [0-9]+')) + system.main.count(*)
        FILTER (value IS NOT NULL)
         - system.main.count(DISTINCT value) + system.main.greatest(0, system.main.count(*) FILTER (value IS NULL) - 1) AS wrong
    FROM "kanon#shown"
