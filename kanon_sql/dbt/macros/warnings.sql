{#- The warnings of the certificate of a new relation, logged; with strict=true in the config of the model they are errors.
    Models may run beside each other: the release is the last one of as many rows that left columns of this relation unchanged. -#}
{% macro warnings(relation) %}
  {% set names = [] %}
  {% for column in adapter.get_columns_in_relation(relation) %}
    {% do names.append("'" ~ column.name | replace("'", "''") ~ "'") %}
  {% endfor %}
  {% set found = run_query(
    'select system.main.unnest(system.main.arg_max(warnings, number)) from kanon_releases() where "rows" = (select system.main.count(*) from '
    ~ relation ~ ') and system.main.list_has_all(system.main.list_value(' ~ names | join(', ')
    ~ '), unchanged)').columns[0].values() | list %}
  {% for warning in found %}
    {% do log('kanon: ' ~ this.identifier ~ ': warning: ' ~ warning, info=True) %}
  {% endfor %}
  {% if found and config.get('strict') %}
    {% do exceptions.raise_compiler_error(
      'strict: ' ~ found | join('; ') ~ '; hint: the previous release is still in place; leave such columns out, or make them '
      ~ 'quasi-identifiers') %}
  {% endif %}
  {{ return(found) }}
{% endmacro %}
