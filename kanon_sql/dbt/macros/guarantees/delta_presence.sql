{% macro question_presence(requirement, read, names, relation) %}
  {% set delta, unit = kanon_sql.fraction(requirement['delta']) %}
  {{ return('select coalesce(parts * ' ~ unit ~ ' <= ' ~ delta ~ " * unit, false), 'presence = ' || coalesce(presence::varchar, 'unknown')"
    ~ ' from delta_presence(' ~ read ~ ')') }}
{% endmacro %}
