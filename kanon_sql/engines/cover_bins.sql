-- a bin has no name that tells its values: each value is in one bin
    SELECT count(*) FILTER (value IS NOT NULL) - count(DISTINCT value) + greatest(0, count(*) FILTER (value IS NULL) - 1) AS wrong FROM "kanon#shown"
