-- name_rule(pattern; others; role; kind; paragraph; textual; numeric): the branch of a CASE for a rule about names of columns.

WHEN system.main.regexp_full_match(called, ''<pattern>'')<others>
THEN {{''role'': ''<role>'', ''kind'': ''<kind>'', ''paragraph'': ''<paragraph>'', ''textual'': <textual>, ''numeric'': <numeric>}}
