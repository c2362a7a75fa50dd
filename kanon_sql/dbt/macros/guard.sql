{#- At the start of a run: models whose text or config tells that they would hand out raw rows, or a release that is solved anew at
    each query. -#}
{% macro refuse_unsafe_models() %}
  {% set roles = ['quasi_identifier', 'sensitive', 'insensitive', 'identifier'] %}
  {% set release = '(?i)\\b(from|join)\\s+(kanon\\s*\\.\\s*)?(anonymize|k_anonymize|l_diversify|t_close|pattern_guided)\\s*\\(' %}
  {#- Without BY, DuckDB takes the word for an alias with a list of columns, and hands out raw rows. -#}
  {% set clause = '(?i)\\banonymize\\s+by\\b|(?<![\\s,(])(?<!from)(?<!join)(?<!select)(?<!lateral)\\s+anonymize\\s*\\(' %}
  {% set nodes = graph.nodes.values() if execute else [] %}
  {% set refused = [] %}
  {% for node in nodes if node.resource_type in ['model', 'snapshot'] and node.unique_id in selected_resources %}
    {% set kind = node.config.materialized %}
    {% set code = modules.re.sub('(?s)\\{#.*?#\\}|/\\*.*?\\*/|--[^\\n]*', ' ', node.raw_code) %}
    {% if kind not in ['anonymized', 'table', 'external'] and modules.re.search(release, code) %}
      {% do refused.append(
        node.name ~ ' is a release with materialized=' ~ kind ~ "; hint: materialized='table': a release is made once, of all rows; "
        ~ 'a view would be solved anew at each query, and fail where kanon-sql is absent') %}
    {% elif kind != 'anonymized' and modules.re.search(clause, code) %}
      {% do refused.append(
        node.name ~ ' has an ANONYMIZE clause with materialized=' ~ kind ~ "; hint: materialized='anonymized'") %}
    {% elif kind != 'anonymized' and node.config.get('k') is not none
        and node.columns.values() | map(attribute='tags') | sum(start=[]) | select('in', roles) | list %}
      {% do refused.append(
        node.name ~ ' guarantees k, but materialized=' ~ kind ~ " would hand out the rows of its query; hint: materialized='anonymized'") %}
    {% endif %}
  {% endfor %}
  {% if refused %}
    {% do exceptions.raise_compiler_error(refused | join('\n')) %}
  {% endif %}
{% endmacro %}
