{#- incremental_key: the rows of the model that were never released become the next batch of its release. The plugin takes the steps of
    kanon_sql.append, in the transaction of the model; the ledger lies in the schema of the release. -#}
{% macro append(relation, code) %}
  {% if should_full_refresh() %}
    {% do exceptions.raise_compiler_error(
      'a growing release cannot be fully refreshed, because its rows would be released twice; hint: omit --full-refresh, or '
      ~ 'set full_refresh=false in the config of the model to refresh only others; drop ' ~ relation ~ ' and its ledger to start again') %}
  {% endif %}
  {% set given = config.get('incremental_key') %}
  {% set key = [given] if given is string else given %}
  {% set columns = run_query('describe (' ~ code ~ '\n)').columns[0].values() %}
  {% set unknown = kanon_sql.unknown(key, columns) %}
  {% if unknown %}
    {% do exceptions.raise_compiler_error(
      'incremental_key: the query does not have the columns: ' ~ unknown | join(', ') ~ '; hint: spell them as in the query') %}
  {% endif %}
  {% set roles = kanon_sql.roles(columns) %}
  {% set policy = kanon_sql.policy(roles) %}
  {% set apart = [] %}
  {% for column in key if column in roles['identifier'] and (column != config.get('per') or column in kanon_sql.pseudonyms(roles)) %}
    {% if column in kanon_sql.pseudonyms(roles) %}
      {% do exceptions.raise_compiler_error(
        'incremental_key: "' ~ column ~ '" is a pseudonym; hint: use a different column, because a key identifies rows and a pseudonym people') %}
    {% endif %}
    {% do apart.append(column) %}
  {% endfor %}
  {% set options = {'strict': config.get('strict', false)} %}
  {% for name in kanon_sql.append_options() if config.get(name) is not none %}
    {% do options.update({name: config.get(name)}) %}
  {% endfor %}
  {% set job = {
    'release': [relation.database, relation.schema, relation.identifier], 'key': key, 'policy': tojson(policy), 'code': code,
    'options': options} %}
  {% call statement('source') %}
    create or replace temp table kanon_source as
    select {{ kanon_sql.released_columns(columns, roles) }}{{ ', ' ~ kanon_sql.quoted(apart) if apart }} from (
      {{ code }}
    ) as source
  {% endcall %}
  {% call statement('main', fetch_result=True) %}
    select system.main.kanon_append('{{ adapter.escape_sql_string(tojson(job)) }}')
  {% endcall %}
  {% set told = load_result('main').table.columns[0].values() | list %}
  {% call statement('forget') %} drop table if exists temp.main.kanon_source {% endcall %}
  {% do log('kanon: ' ~ this.identifier ~ ': ' ~ told[0], info=True) %}
  {% for warning in told[1:] %}
    {% do log('kanon: ' ~ this.identifier ~ ': warning: ' ~ warning, info=True) %}
  {% endfor %}
  {% do load_result('main').response.certified((['OK'] + told) | join('; '), {'warnings': told[1:]}, code='APPEND') %}
{% endmacro %}


{#- What may be done with rows that an append comes upon; the defaults are those of kanon_sql.append. -#}
{% macro append_options() %}
  {{ return(['leftover', 'changed', 'deleted', 'returning']) }}
{% endmacro %}
