"""Other names under which people look for an option: what `nearest` reads in addition to the spelling."""

from __future__ import annotations

OPTIONS = (
    ("quasi_identifiers", "qi", "qis", "quasi_identifier", "identifying", "by"),
    ("sensitive", "sa", "sensitive_attribute", "sensitive_column", "sensitive_columns"),
    ("k", "k_anonymity", "least_rows"),
    ("l", "l_diversity", "diversity"),
    ("t", "t_closeness", "closeness"),
    ("beta", "beta_likeness"),
    ("delta", "delta_disclosure"),
    ("known", "known_columns", "m", "combs", "columns_known"),
    ("presence", "delta_presence"),
    ("recodings", "recode", "generalize", "generalization", "hierarchies"),
    ("masks", "mask", "patterns", "grouping_sets"),
    ("keep", "kept", "unchanged"),
    ("time_limit", "timeout", "time", "limit", "max_time"),
    ("effort", "quality", "speed", "steps", "iterations"),
    ("algorithm", "method", "solver"),
    ("seed", "random_state", "random_seed"),
    ("row_order", "order", "shuffle"),
    ("suppress", "placeholder", "suppressed"),
)
"""Options of functions in Python and SQL, and of commands; which of a group is known depends on the surface."""
