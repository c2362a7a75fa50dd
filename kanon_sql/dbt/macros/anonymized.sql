{#- materialized='anonymized': the model is a query over raw rows; what is handed out is its release.

    1. The columns of the query are compared with their tags (policy.sql); identifiers are left out. The one by which people are
       counted is left out by the release.
    2. The query runs once, into a temporary table of this connection.
    3. The release statement writes a new relation; it audits the rows that it hands out. They are sorted by what they show, so that
       the order of the source tells nothing about them.
    4. The audit (audit.sql) reads the new relation, in plain SQL.
    5. The warnings of its certificate are logged (certificate.sql), and stand with its figures in the response of the adapter; with
       strict=true they are errors.
    6. The new relation takes the place of the old one; if it differs, the people in both are released a second time: a warning.

    From 2 on all of it is one transaction: a failure or a kill leaves the previous release in place.

    With incremental_key, the rows that were never released are added to the relation (append.sql), in place of 2 to 6.

    With an ANONYMIZE clause in the query, the clause is the policy: 1, 2 and 4 fall away. -#}
{% materialization anonymized, adapter='duckdb' %}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- set existing_relation = load_cached_relation(this) -%}
  {%- set new_relation = make_intermediate_relation(target_relation) -%}
  {%- if config.get('contract').enforced -%}
    {%- do exceptions.raise_compiler_error(
      'a contract cannot be enforced on an anonymized model; hint: test the column types instead, because recoded columns become VARCHAR') -%}
  {%- endif -%}

  {{ kanon_sql.begin(new_relation) }}

  {% do kanon_sql.refuse_unknown_config() %}
  {% set before = run_query('select coalesce(system.main.max(number), 0) from kanon_releases()').rows[0][0] %}
  {% set text = "'" ~ adapter.escape_sql_string(compiled_code) ~ "'" %}
  {% if run_query('select system.main.kanon_rewrite(' ~ text ~ ') <> ' ~ text).rows[0][0] %}
    {% do kanon_sql.refuse_second_policy() %}
    {% do kanon_sql.warn_beside(text) %}
    {% call statement('main') %}
      create table {{ new_relation }} as from system.main.query(system.main.kanon_rewrite({{ text }}))
    {% endcall %}
  {% elif config.get('incremental_key') is not none %}
    {% do kanon_sql.refuse_groups(text) %}
    {{ kanon_sql.append(target_relation, compiled_code) }}
    {{ kanon_sql.commit(target_relation) }}
    {{ return({'relations': [target_relation]}) }}
  {% else %}
    {% do kanon_sql.refuse_groups(text) %}
    {% set columns = run_query('describe (' ~ compiled_code ~ '\n)').columns[0].values() %}
    {% set roles = kanon_sql.roles(columns) %}
    {% set policy = kanon_sql.policy(roles) %}
    {% call statement('source') %}
      create or replace temp table kanon_source as
      select {{ kanon_sql.released_columns(columns, roles) }} from (
        {{ compiled_code }}
      ) as source
    {% endcall %}
    {% call statement('main') %}
      create table {{ new_relation }} as
      from system.main.query(system.main.kanon_model_release('{{ adapter.escape_sql_string(tojson(policy)) }}', {{ text }}))
      order by all asc nulls last
    {% endcall %}
    {% do kanon_sql.audit(new_relation, policy, 'temp.main.kanon_source') %}
    {% call statement('forget') %} drop table temp.main.kanon_source {% endcall %}
  {% endif %}
  {% set certificate = kanon_sql.certificate(new_relation, before) %}
  {% set warnings = (certificate or {}).get('warnings', []) + kanon_sql.warnings_of_rebuild(new_relation, existing_relation) %}
  {% do load_result('main').response.certified(
    (['OK'] + warnings) | join('; '), dict(certificate, warnings=warnings) if certificate else none) %}

  {{ kanon_sql.put(new_relation, existing_relation, target_relation) }}
  {{ kanon_sql.commit(target_relation) }}
  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}
