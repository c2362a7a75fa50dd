{#- materialized='protected': the model is a query with a PROTECT clause, or its config names a stored policy; what is handed out is its table of counts and sums.

    1. The statement of the table writes a new relation; its gate checks every row that it hands out.
    2. The warnings of its certificate are logged, and stand with its figures in the response of the adapter; with strict=true they
       are errors.
    3. The new relation takes the place of the old one.

    All of it is one transaction: a failure or a kill leaves the previous table in place. -#}
{% materialization protected, adapter='duckdb' %}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- set existing_relation = load_cached_relation(this) -%}
  {%- set new_relation = make_intermediate_relation(target_relation) -%}
  {%- if config.get('contract').enforced -%}
    {%- do exceptions.raise_compiler_error(
      'a contract cannot be enforced on a protected model; hint: test the types of its columns instead') -%}
  {%- endif -%}

  {{ kanon_sql.begin(new_relation) }}

  {% set unknown = kanon_sql.unknown(model.config, ['strict', 'policy'], of_model=true) %}
  {% if unknown %}
    {% do exceptions.raise_compiler_error(
      'the config has unknown keys: ' ~ unknown | join(', ') ~ '; hint: use strict, policy and the keys of dbt; '
      ~ 'write guarantees in the PROTECT clause') %}
  {% endif %}
  {% set clause = '\nPROTECT WITH POLICY ' ~ adapter.quote(config.get('policy')) if config.get('policy') else '' %}
  {% set text = "'" ~ adapter.escape_sql_string(compiled_code ~ clause) ~ "', system.main.current_database()" %}
  {% set before = run_query('select coalesce(system.main.max(number), 0) from kanon_protected_tables()').rows[0][0] %}
  {% call statement('main') %}
    create table {{ new_relation }} as from system.main.query(system.main.kanon_protected_query({{ text }}))
  {% endcall %}
  {% set figures = fromjson(run_query('select system.main.kanon_table_figures(' ~ text ~ ', ' ~ before ~ ')').rows[0][0]) %}
  {% set warnings = figures | map(attribute='warnings') | sum(start=[]) | unique | list %}
  {% for each in figures %}
    {% do log('kanon: ' ~ this.identifier ~ ': ' ~ each['rows'] ~ ' rows, ' ~ (each['primary'] + each['secondary']) ~ ' suppressed, '
      ~ each['requirements'] | join(', '), info=True) %}
  {% endfor %}
  {% for warning in warnings %}
    {% do log('kanon: ' ~ this.identifier ~ ': warning: ' ~ warning, info=True) %}
  {% endfor %}
  {% if warnings and config.get('strict') %}
    {% do exceptions.raise_compiler_error(
      'strict: ' ~ warnings | join('; ') ~ '; hint: the previous table is still in place') %}
  {% endif %}
  {% do load_result('main').response.certified((['OK'] + warnings) | join('; '), figures[-1] if figures else none) %}

  {{ kanon_sql.put(new_relation, existing_relation, target_relation) }}
  {{ kanon_sql.commit(target_relation) }}
  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}
