{% macro question_delta(requirement, read, names, relation) %}
  {% set delta, unit = kanon_sql.fraction(requirement['delta']) %}
  {#- What rounding leaves in doubt is refused. -#}
  {{ return('select delta < ' ~ delta ~ '::double / ' ~ unit ~ " - 1e-12, 'delta = ' || system.main.round(delta, 3) from delta_disclosure("
    ~ read ~ ')') }}
{% endmacro %}
