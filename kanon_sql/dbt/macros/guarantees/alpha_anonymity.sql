{% macro question_alpha(requirement, read, names, relation) %}
  {% set alpha, unit = kanon_sql.fraction(requirement['alpha']) %}
  {% set value = requirement['value'] | replace("'", "''") %}
  {% set share = 'system.main.count(*) filter (' ~ kanon_sql.quoted([requirement['sensitive']]) ~ "::varchar = '" ~ value ~ "')" %}
  {{ return('select system.main.bool_and(n * ' ~ unit ~ ' <= size * ' ~ alpha ~ "), 'alpha = ' || system.main.round(system.main.max(n::double / size), 3) from (select "
    ~ share ~ ', system.main.count(*) from ' ~ relation ~ ' group by ' ~ kanon_sql.quoted(names) ~ ') as classes(n, size)') }}
{% endmacro %}
