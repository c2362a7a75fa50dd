"""The syntax of ANONYMIZE, as `.help anonymize` of the shell shows it."""

from __future__ import annotations

SYNTAX = """\
query ANONYMIZE BY column [IN recoding] [WEIGHT number], ...
  [KEEP column, ...]                columns released unchanged
  [LINKED (column, column), ...]    columns suppressed only together
  GUARANTEE condition AND ...
  [USING algorithm (option = value, ...)]
  [ORDER BY ...] [LIMIT ...]
query ANONYMIZE WITH POLICY name
EXPLAIN ANONYMIZE query             what limits a release, without making one

conditions
  k >= 5                            each class has at least 5 rows
  k >= 5 PER patient_id             ... rows of at least 5 people
  l(disease) >= 2                   no value fills more than half of a class
  t(disease) <= 0.2                 values are distributed as in the whole table
  alpha(disease, 'flu') <= 0.2      at most 20 % of a class has this value
  beta(disease) <= 1                no share grows by more than 100 %
  delta(disease) <= 1               |ln(share in class / share in table)| < 1
  k >= 5 IN census                  each class matches 5 rows of a population
  presence(census) <= 0.2           nobody is known to be in the table

recodings
  zip IN DIGITS (3)                 age IN INTERVALS (5, 10)
  job IN HIERARCHY jobs             (lat, lon) IN RECTANGLES
  zip IN REGIONS neighbours         age IN RANGES, SETS, MEANS or MEDIANS

CREATE TABLE released AS
  SELECT * EXCLUDE (name) FROM patients
  ANONYMIZE BY zip, age GUARANTEE k >= 5;
"""
