-- a bin has a number that does not tell its values: each value is in one bin
    SELECT count(*) FILTER (NOT regexp_full_match(label, '(bin|region) [0-9]+')) + count(*) FILTER (value IS NOT NULL)
         - count(DISTINCT value) + greatest(0, count(*) FILTER (value IS NULL) - 1) AS wrong
    FROM "kanon#shown"
