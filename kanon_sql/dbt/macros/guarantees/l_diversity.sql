{% macro question_l(requirement, read, names, relation) %}
  {% set l, unit = kanon_sql.fraction(requirement['l']) %}
  {% set macro = ' from l_diversity(' ~ read ~ ', ' %}
  {% set variant = requirement.get('variant', 'frequency') %}
  {% if variant == 'frequency' %}
    {{ return('select worst_count * ' ~ l ~ ' <= worst_size * ' ~ unit ~ ", 'l = ' || worst_size || '/' || worst_count" ~ macro ~ '2)') }}
  {% elif variant == 'recursive' %}
    {% set c, parts = kanon_sql.fraction(requirement['c']) %}
    {{ return('select recursive_top * ' ~ parts ~ ' < ' ~ c ~ " * recursive_rest, 'c = ' || recursive_top || '/' || recursive_rest"
      ~ macro ~ (l // unit) ~ ')') }}
  {% endif %}
  {{ return('select ' ~ variant ~ '_l * ' ~ unit ~ ' >= ' ~ l ~ ", 'l = ' || " ~ variant ~ '_l' ~ macro ~ '2)') }}
{% endmacro %}
