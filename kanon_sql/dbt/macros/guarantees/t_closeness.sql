{% macro question_t(requirement, read, names, relation) %}
  {% set t, unit = kanon_sql.fraction(requirement['t']) %}
  {% set tree = requirement.get('hierarchy') %}
  {{ return('select t_numerator * ' ~ unit ~ ' <= ' ~ t ~ " * t_denominator, 't = ' || t_numerator || '/' || t_denominator"
    ~ ' from t_closeness(' ~ read ~ ", '" ~ requirement.get('metric', 'equal') | replace("'", "''") ~ "', "
    ~ ("'" ~ tree | replace("'", "''") ~ "'" if tree else 'null') ~ ')') }}
{% endmacro %}
