-- name: digits
FROM patients ANONYMIZE BY age WEIGHT 2, zip IN DIGITS GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: some digits, and a weight behind them
FROM patients ANONYMIZE BY zip IN DIGITS (5, 3) WEIGHT 3, age GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: a hierarchy
FROM patients ANONYMIZE BY age IN HIERARCHY levels GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: a hierarchy in another schema, with losses
FROM patients ANONYMIZE BY age IN HIERARCHY my."age levels" LOSS (0.1, 0.4) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: intervals of numbers and of dates
SELECT zip, age, DATE '2026-11-21' AS seen FROM patients ANONYMIZE BY age IN INTERVALS (5, 10, 25), seen IN INTERVALS (month, year) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, age, DATE '2026-11-21' AS seen FROM patients) AS k2)
-- name: optimal intervals
FROM patients ANONYMIZE BY age IN INTERVALS GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: optimal intervals, the least sum
FROM patients ANONYMIZE BY age IN INTERVALS ('sum') GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: bins
FROM patients ANONYMIZE BY disease IN BINS GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: regions
FROM patients ANONYMIZE BY zip IN REGIONS adjacent, disease IN REGIONS alike ('merge') GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: algorithms of groupings by name
SELECT zip, disease, age, age AS y FROM patients ANONYMIZE BY disease IN BINS (fold), zip IN REGIONS adjacent (region_exact), (age, y) IN RECTANGLES (kd_tree) WEIGHT 2 GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, disease, age, age AS y FROM patients) AS k2)
-- name: the algorithm and the option of a map, in any order
FROM patients ANONYMIZE BY zip IN REGIONS alike (regions, 'merge'), disease IN REGIONS alike ('MERGE', Auto) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: rectangles
SELECT zip, age, age AS y FROM patients ANONYMIZE BY (age, y) IN RECTANGLES WEIGHT 2, zip GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, age, age AS y FROM patients) AS k2)
-- name: ranges and sets
FROM patients ANONYMIZE BY age IN RANGES, zip IN SETS GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: recodings inside of grouping sets
FROM patients ANONYMIZE BY GROUPING SETS ((zip IN DIGITS (3), age), (zip IN DIGITS (3)), ()) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: levels of its own for each grouping set
FROM patients ANONYMIZE BY GROUPING SETS ((zip IN DIGITS (3), age), ROLLUP (zip IN DIGITS (5, 4), sex)) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: some levels of a hierarchy
FROM patients ANONYMIZE BY age IN HIERARCHY s.ages (0, 2) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: columns whose names are words of the clause
SELECT zip AS digits, age AS bins FROM patients ANONYMIZE BY digits, bins IN INTERVALS (5) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip AS digits, age AS bins FROM patients) AS k2)
-- name: means and medians
FROM patients ANONYMIZE BY age IN MEANS WEIGHT 2, zip IN SETS GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: an end alone
FROM patients ANONYMIZE BY age TOP 90, zip GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: both ends of widths, with a loss for each level
FROM patients ANONYMIZE BY age IN INTERVALS (5, 10) BOTTOM -1.5 TOP 90 LOSS (0.01, 0.1, 0.2) WEIGHT 2 GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: cuts
FROM patients ANONYMIZE BY age IN CUTS (-5, 0, 18, 65) TOP 90 GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: ends inside of grouping sets
FROM patients ANONYMIZE BY GROUPING SETS ((age TOP 90, zip), (age IN INTERVALS (10) TOP 90), ()) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (FROM patients) AS k2)
-- name: only the labels
SELECT zip, age, DATE '2026-11-21' AS seen FROM patients ANONYMIZE BY age IN CUTS ONLY (18, 65), seen IN INTERVALS ONLY (year) LOSS (0.5) GUARANTEE k >= 2
-- becomes:
SELECT * FROM (SELECT * FROM (SELECT zip, age, DATE '2026-11-21' AS seen FROM patients) AS k2)
