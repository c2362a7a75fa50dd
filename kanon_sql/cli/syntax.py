"""The syntax of the clauses, as `.help anonymize` and `.help protect` of the shell show it."""

from __future__ import annotations

SYNTAX = """\
query ANONYMIZE BY column [IN recoding] [WEIGHT number], ...
  [KEEP column, ...]                columns released unchanged
  [LINKED (column, column), ...]    columns suppressed only together
  GUARANTEE condition AND ...
  [USING algorithm (option = value, ...)]
  [ORDER BY ...] [LIMIT ...]
query ANONYMIZE WITH POLICY name
EXPLAIN ANONYMIZE query             show what limits a release

conditions
  k >= 5                            each class has at least 5 rows
  k >= 5 PER patient_id             each class has rows of at least 5 people
  l(disease) >= 2                   no value makes up more than half of a class
  t(disease) <= 0.2                 distribution close to the whole table's
  alpha(disease, 'flu') <= 0.2      this value makes up at most 20 % of a class
  beta(disease) <= 1                no share grows by more than 100 %
  delta(disease) <= 1               |ln(share in class / share in table)| < 1
  k >= 5 IN census                  each class matches at least 5 census rows
  presence(census) <= 0.2           probability of being in the table <= 0.2

recodings
  zip IN DIGITS (3)                 age IN INTERVALS (5, 10) TOP 90
  age IN CUTS (18, 65)              income TOP 200000 BOTTOM 0
  job IN HIERARCHY jobs             (lat, lon) IN RECTANGLES
  zip IN REGIONS neighbours         age IN RANGES, SETS, MEANS or MEDIANS

CREATE TABLE released AS
  SELECT * EXCLUDE (name) FROM patients
  ANONYMIZE BY zip, age GUARANTEE k >= 5;
"""

PROTECT_SYNTAX = """\
SELECT key, ..., count(*) AS n [, sum(value) AS s] FROM table
  GROUP BY CUBE (key, ...)            or ROLLUP, GROUPING SETS, plain keys
  PROTECT n >= 5 [PER person] [AND condition ...]
  [SHOW GROUPING SETS ((key), ())]    rows that the table must show
  [COST cells | n | parts | sum]      cost of each secondary suppressed row
  [ROWS NULL | ABSENT]                suppressed rows show NULL, or are omitted
  [AGAINST CONTRIBUTORS [2]]          attackers in the table, alone or in pairs
  [USING algorithm (option = value, ...)]
  [ORDER BY ...]
query GROUP BY ... PROTECT WITH POLICY name
EXPLAIN PROTECT query                 show the figures, without the rows
BEGIN PROTECTED; CREATE TABLE ... PROTECT ...; ...; COMMIT
                                      protect these tables together

conditions
  n >= 5                              no count between 1 and 4 can be derived
  n >= 5 PER patient_id               with count(DISTINCT patient_id) AS n
  dominance(s, 1) <= 0.8              largest contribution: at most 80 % of s
  p(s) >= 10                          no estimate within 10 % of the largest

SELECT region, sex, count(*) AS n FROM patients
  GROUP BY CUBE (region, sex) PROTECT n >= 5;
"""
