-- Coarser instead of hidden: the same table released four times, with less and less lost.
-- Run it with: kanon run examples/generalization.sql

CREATE TABLE visits AS
SELECT (10000 + (i * i * 31 % 97) * 13)::VARCHAR AS zip, 18 + (i * 7 + i // 11) % 70 AS age,
       ['nurse', 'surgeon', 'midwife', 'baker', 'butcher', 'brewer', 'welder'][1 + (i * i + i // 3) % 7] AS job,
       DATE '2025-01-01' + (i * 17 % 365)::INTEGER AS admitted, 100 + i % 300 * 10 AS cost
FROM range(3000) AS t(i);

-- What jobs have in common, as a table: the value, then coarser labels; the last one stands for suppression.
CREATE TABLE jobs AS
SELECT * FROM (VALUES ('nurse', 'care', '*'), ('midwife', 'care', '*'), ('surgeon', 'care', '*'), ('baker', 'food', '*'),
                      ('butcher', 'food', '*'), ('brewer', 'food', '*'), ('welder', 'metal', '*')) AS t(level0, level1, level2);

-- 1. Cells are shown or suppressed, nothing between.
CREATE TABLE suppressed AS
FROM visits ANONYMIZE BY zip, age, job, admitted GUARANTEE k >= 5;

-- 2. Every class has its own levels: five digits or two, a year of age or twenty, a day or a quarter.
CREATE TABLE coarser AS
FROM visits ANONYMIZE BY zip IN DIGITS, age IN INTERVALS (5, 10, 20), job IN HIERARCHY jobs, admitted IN INTERVALS (month, quarter, year)
GUARANTEE k >= 5 USING greedy;

-- 3. One level of each column for the whole table, and at most 2 % of the rows suppressed beyond it.
CREATE TABLE one_level AS
FROM visits ANONYMIZE BY zip IN DIGITS, age IN INTERVALS (5, 10, 20), job IN HIERARCHY jobs, admitted IN INTERVALS (month, quarter, year)
GUARANTEE k >= 5 USING full_domain (max_suppressed = 0.02);

-- 4. Every class shows the range or the set of its own values.
CREATE TABLE summarized AS
FROM visits ANONYMIZE BY zip IN RANGES, age IN RANGES, job IN SETS, admitted IN RANGES GUARANTEE k >= 5;

FROM coarser LIMIT 4;
FROM summarized LIMIT 4;

SELECT number, algorithm, suppressed_cells, round(cost::DOUBLE / cells, 3) AS loss, smallest_class FROM kanon_releases() ORDER BY number;

-- Labels without an order, and points: which of them would be released as one?
SELECT bin, count(*) AS zips FROM bin_labels('visits', 'zip', 500) GROUP BY bin ORDER BY bin;
