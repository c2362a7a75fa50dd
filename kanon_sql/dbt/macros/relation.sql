{#- The transaction of a materialization: it begins with the hooks, and ends with the new relation in the place of the old one. -#}
{% macro begin(new_relation) %}
  {% do kanon_sql.require_plugin() %}
  {{ drop_relation_if_exists(load_cached_relation(new_relation)) }}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {% do adapter.ensure_transaction() %}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
{% endmacro %}

{% macro put(new_relation, existing_relation, target_relation) %}
  {% if existing_relation is not none %}
    {% do adapter.drop_relation(existing_relation) %}
  {% endif %}
  {% do adapter.rename_relation(new_relation, target_relation) %}
  {% do create_indexes(target_relation) %}
{% endmacro %}

{% macro commit(target_relation) %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {% do persist_docs(target_relation, model) %}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
{% endmacro %}


{#- Without the plugin, DuckDB would say that a function does not exist. -#}
{% macro require_plugin() %}
  {% set found = run_query("select system.main.count(*) from system.main.duckdb_functions() where function_name = 'kanon_unknown'") %}
  {% if found.rows[0][0] == 0 %}
    {% do exceptions.raise_compiler_error(
      'the target in profiles.yml does not load the kanon-sql plugin; hint: add plugins: [{module: kanon_sql.dbt_plugin}]') %}
  {% endif %}
{% endmacro %}
