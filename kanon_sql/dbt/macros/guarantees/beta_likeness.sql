{% macro question_beta(requirement, read, names, relation) %}
  {% set beta, unit = kanon_sql.fraction(requirement['beta']) %}
  {{ return('select beyond_log = 0 and worst_count::hugeint * "rows" * ' ~ unit ~ ' <= worst_size::hugeint * worst_total * ' ~ (beta + unit)
    ~ ", 'beta = ' || system.main.round(beta, 3) from beta_likeness(" ~ read ~ ')') }}
{% endmacro %}
