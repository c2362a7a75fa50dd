"""A table and a statement for every SQL text of the package: what is bound, released or audited in some way of asking."""

from __future__ import annotations

SETUP = """
CREATE TABLE p AS SELECT 'z' || (i % 4) AS zip, i % 5 AS age, ['flu', 'gout', 'acne'][1 + i % 3] AS d, i AS who,
    (i % 6)::DOUBLE AS x, (i % 4)::DOUBLE AS y, DATE '2020-01-01' + (i % 9)::INTEGER AS day FROM range(40) AS t(i);
CREATE TABLE tree AS FROM (VALUES ('flu', '*'), ('gout', '*'), ('acne', '*')) AS t(value, parent);
CREATE TABLE zips AS SELECT DISTINCT zip AS level0, '*' AS level1 FROM p;
CREATE TABLE far AS FROM (VALUES ('flu', 'gout', 0.5), ('flu', 'acne', 1), ('gout', 'acne', 1)) AS t(a, b, distance);
CREATE TABLE edges AS FROM (VALUES ('z0', 'z1'), ('z1', 'z2'), ('z2', 'z3')) AS t(a, b);
"""

POLICY = "CREATE ANONYMIZATION POLICY stored ON p (IDENTIFIER who; BY zip, age; KEEP d, x, y, day; GUARANTEE k >= 3)"

_FREE = "unlisted_limit := 1"
_QI = f"qi := ['zip', 'age'], {_FREE}"
_T = f"FROM t_close('p', 'd', '0.9', metric := '{{}}', {_QI})"
_RECODED = f"FROM k_anonymize('p', 3, qi := {{}}, recodings := MAP {{}}, {_FREE})"

RELEASES = [
    f"FROM k_anonymize('p', 3, {_QI})",
    "FROM k_anonymize('p', 2)",
    f"FROM k_anonymize('p', 3, suppress := '*', {_QI})",
    f"FROM k_anonymize('p', 3, per := 'who', {_QI})",
    f"FROM pattern_guided('p', [['zip'], ['age'], []], k := 3, {_QI})",
    *(f"FROM l_diversify('p', 'd', 2, variant := '{variant}', {_QI})" for variant in ("frequency", "distinct", "entropy")),
    f"FROM l_diversify('p', 'd', 2, variant := 'recursive', c := 3, {_QI})",
    *(_T.format(metric) for metric in ("equal", "ordered", "far", "hierarchical', hierarchy := 'tree")),
    f"FROM t_close('p', 'x', '0.9', metric := 'numeric', {_QI})",
    _RECODED.format("['zip', 'age', 'day']", "{'zip': 'DIGITS', 'age': 'INTERVALS (2, 4)', 'day': 'INTERVALS (month, year)'}"),
    _RECODED.format("['zip']", "{'zip': 'HIERARCHY zips'}"),
    _RECODED.format("['x', 'y']", "{'x': 'RECTANGLES WITH y', 'y': 'RECTANGLES WITH x'}"),
    _RECODED.format("['zip', 'age']", "{'zip': 'SETS', 'age': 'RANGES'}"),
    _RECODED.format("['zip']", "{'zip': 'REGIONS edges'}"),
    _RECODED.format("['d']", "{'d': 'BINS'}"),
    "FROM bin_labels('p', 'd', 3)",
    "FROM region_labels('p', 'zip', 'edges', 3)",
    "FROM rectangle_labels('p', 'x', 'y', 3)",
    f"FROM beta_like('p', 'd', 9, {_QI})",
    f"FROM delta_private('p', 'd', 9, {_QI})",
    f"FROM k_map('p', 3, 'p', {_QI})",
    f"FROM k_map('p', 3, 'p', k := 2, recodings := MAP {{'zip': 'DIGITS', 'age': 'INTERVALS (2, 4)'}}, {_QI})",
    "FROM k_map('p', 3, 'p', qi := ['zip', 'day'], recodings := MAP {'zip': 'HIERARCHY zips', 'day': 'INTERVALS (month)'}, "
    f"{_FREE})",
    f"FROM delta_present('p', 1, 'p', {_QI})",
    f"FROM delta_present('p', 1, 'p', k := 2, recodings := MAP {{'zip': 'DIGITS', 'age': 'INTERVALS (2, 4)'}}, {_QI})",
    "FROM anonymize('p', 'stored')",
    "SELECT zip, age FROM p ANONYMIZE WITH POLICY stored",
    "SELECT zip, age, d FROM p ANONYMIZE BY zip, age GUARANTEE k >= 3 AND l(d) >= 2 AND t(d) <= 0.9 AND alpha(d, 'flu') <= 0.9",
]

EXPLANATIONS = [
    "EXPLAIN ANONYMIZE SELECT zip, age, d FROM p ANONYMIZE BY zip, age GUARANTEE k >= 3 AND l(d) >= 2",
    "EXPLAIN ANONYMIZE SELECT zip, age FROM p ANONYMIZE WITH POLICY stored",
    "EXPLAIN ANONYMIZE SELECT zip, age FROM p ANONYMIZE BY zip IN DIGITS, age GUARANTEE k >= 3 IN p",
    "EXPLAIN ANONYMIZE SELECT zip, age FROM p ANONYMIZE BY zip, age GUARANTEE presence(p) <= 1",
]

AUDITS = [
    "FROM equivalence_classes('p', ['zip'])",
    "FROM k_anonymity('p', ['zip', 'age'])",
    "FROM k_known('p', ['zip', 'age'], 1)",
    "FROM history_risk('p', 'who', ['zip', 'age'], 2)",
    "FROM reidentification_risk('p', ['zip'])",
    "FROM reidentification_risk('p', ['zip', 'age'], population := 'p', fraction := 0.3)",
    "FROM intersection_risk('p', 'p', 'who', ['zip', 'age'])",
    "FROM l_diversity('p', ['zip'], 'd', l := 3)",
    *(f"FROM t_closeness('p', ['zip'], 'd', '{metric}')" for metric in ("equal", "ordered", "far", "hierarchical', 'tree")),
    "FROM t_closeness('p', ['zip'], 'x', 'numeric')",
    "FROM beta_likeness('p', ['zip'], 'd')",
    "FROM delta_disclosure('p', ['zip'], 'd')",
    "FROM k_mapping('p', ['zip'], 'p')",
    "FROM safe_harbor('p')",
    "FROM utility('p', 'p', ['zip'], MAP {'zip': 'zips'})",
    "FROM marginals('p', 'p', 1, ['zip'], MAP {'zip': 'zips'})",
    "FROM propensity('p', 'p', 1)",
    "FROM correlations('p', 'p', ['zip', 'age', 'x'])",
    "FROM predictability('p', 'p', 'd', ['zip', 'age'])",
    "FROM group_loss('p', 'p', ['zip'], 'd')",
    "FROM imputed('p', qi := ['zip', 'age', 'x'])",
    "FROM weighted_rows('p', 'p', ['zip'], ['age'])",
    "FROM suppression_certificate('p', 'p', 1, ['zip'])",
    "SELECT interval_ends('[1, 2)')",
]
