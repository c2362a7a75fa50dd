{#- The figures of the certificate of a new relation; its warnings are logged, and with strict=true in the config of the model they
    are errors. Models may run beside each other, each on a connection of its own. A query may hold several clauses: the release is the
    last one of this connection, since the number `before`, of as many rows that left columns of this relation unchanged, and the
    warnings are those of all such releases. None where a query around a clause changed the number of the rows. -#}
{% macro certificate(relation, before) %}
  {% set names = [] %}
  {% for column in adapter.get_columns_in_relation(relation) %}
    {% do names.append("'" ~ column.name | replace("'", "''") ~ "'") %}
  {% endfor %}
  {% set figures = ['requirements', 'status', 'algorithm', 'cost', 'lower_bound', 'gap', 'rows', 'row_types', 'suppressed_cells', 'cells',
    'classes', 'smallest_class', 'smallest_class_people', 'seconds', 'unchanged', 'warnings', 'histories'] %}
  {% set found = run_query(
    'select system.main.to_json(system.main.arg_max(system.main.struct_pack("' ~ figures | join('", "') ~ '"), number)), '
    ~ 'system.main.to_json(system.main.list_distinct(system.main.flatten(system.main.list(warnings)))) '
    ~ 'from kanon_releases() where number > ' ~ before ~ ' and "connection" = system.main.current_connection_id() and "rows" = (select system.main.count(*) from ' ~ relation
    ~ ') and system.main.list_has_all(system.main.list_value(' ~ names | join(', ') ~ '), unchanged)').rows[0] %}
  {% if found[0] is none %}
    {% if config.get('strict') %}
      {% do exceptions.raise_compiler_error(
        'strict: the query around the clause changes the number of rows, so the warnings of its release are not known; hint: '
        ~ 'release in one model, and filter in another') %}
    {% endif %}
    {{ return(none) }}
  {% endif %}
  {% set certificate = dict(fromjson(found[0]), warnings=fromjson(found[1]) | sort) %}
  {% if certificate['smallest_class_people'] is not none %}
    {% do log('kanon: ' ~ this.identifier ~ ': people of the smallest class: ' ~ certificate['smallest_class_people'], info=True) %}
  {% endif %}
  {% for warning in certificate['warnings'] %}
    {% do log('kanon: ' ~ this.identifier ~ ': warning: ' ~ warning, info=True) %}
  {% endfor %}
  {% if certificate['warnings'] and config.get('strict') %}
    {% do exceptions.raise_compiler_error(
      'strict: ' ~ certificate['warnings'] | join('; ') ~ '; hint: the previous release is still in place; remove such columns, or '
      ~ 'make them quasi-identifiers') %}
  {% endif %}
  {{ return(certificate) }}
{% endmacro %}


{#- Same rows and same secret make the same release. Another one is of changed rows or under another policy, and somebody who has the
    previous one can compare them person by person. -#}
{% macro warnings_of_rebuild(relation, previous) %}
  {% if previous is none or previous.type != 'table' %}
    {{ return([]) }}
  {% endif %}
  {% set content = '(select (system.main.count(*), system.main.sum(system.main.hash("kanon#r"))) from ' %}
  {% set question = 'select ' ~ content ~ relation ~ ' as "kanon#r") is distinct from ' ~ content ~ previous ~ ' as "kanon#r")' %}
  {% if not run_query(question).rows[0][0] %}
    {{ return([]) }}
  {% endif %}
  {% set warning = 'the release differs from the previous one, and anyone who has both can compare them; if rows were added, '
    ~ 'set incremental_key to release only these' %}
  {% do log('kanon: ' ~ this.identifier ~ ': warning: ' ~ warning, info=True) %}
  {{ return([warning]) }}
{% endmacro %}


{#- What a query reads outside of its clauses is handed out as it is: a warning, and with strict=true an error. -#}
{% macro warn_beside(text) %}
  {% set tables = run_query('select system.main.unnest(system.main.kanon_beside(' ~ text ~ '))').columns[0].values() | list %}
  {% set warning = 'the query reads ' ~ tables | join(', ') ~ ' outside its ANONYMIZE clause, and releases their rows unchanged' %}
  {% if tables and config.get('strict') %}
    {% do exceptions.raise_compiler_error('strict: ' ~ warning ~ '; hint: read it inside the query before the clause') %}
  {% elif tables %}
    {% do log('kanon: ' ~ this.identifier ~ ': warning: ' ~ warning, info=True) %}
  {% endif %}
{% endmacro %}
