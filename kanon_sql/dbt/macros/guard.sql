{#- At the start of a run: models whose text or config tells that they would hand out raw rows, or a release that is solved anew at
    each query. -#}
{% macro refuse_unsafe_models() %}
  {% set roles = ['quasi_identifier', 'sensitive', 'insensitive', 'identifier'] %}
  {% set release = '(?i)(\\b(from|join|lateral)\\b|,)\\s*("?\\w+"?\\s*\\.\\s*)*"?(anonymize|k_anonymize|l_diversify|t_close|beta_like|delta_private|k_map|delta_present|pattern_guided|protect)"?\\s*\\(' %}
  {#- Without BY, DuckDB takes the word for an alias with a list of columns, and hands out raw rows. -#}
  {% set clause = '(?i)\\banonymize\\s+by\\b|((?<![\\s,(])(?<!from)(?<!join)(?<!select)(?<!lateral)\\s+|(?<=[)}]))anonymize\\s*\\(' %}
  {% set counts = '(?is)\\bgroup\\s+by\\b.*\\bprotect\\s+(with\\s+policy\\b|("?\\w+"?|count\\s*\\(\\s*\\*\\s*\\))\\s*>)' %}
  {% set reasons = {
    'view': 'would be solved again by each query, and fail in sessions without kanon-sql',
    'ephemeral': 'would be solved again in each model that reads it',
    'incremental': 'would combine rows of several releases that were never audited as a whole',
    'snapshot': 'would keep the rows of all releases, and two releases of a person can reveal more than one'} %}
  {% set nodes = graph.nodes.values() if execute else [] %}
  {% set refused = [] %}
  {% for node in nodes if node.resource_type in ['model', 'snapshot'] and node.unique_id in selected_resources %}
    {% set kind = node.config.materialized %}
    {% set code = kanon_sql.code(node) %}
    {% if kind not in ['anonymized', 'table', 'external'] and modules.re.search(release, code) %}
      {% do refused.append(
        node.name ~ ' is a release with materialized=' ~ kind ~ ', which ' ~ reasons.get(kind, 'may not make it once, from all rows')
        ~ "; hint: " ~ ('create the release in a model' if kind == 'snapshot' else "set materialized='table'")) %}
    {% elif kind != 'anonymized' and modules.re.search(clause, code) %}
      {% do refused.append(
        node.name ~ ' has an ANONYMIZE clause with materialized=' ~ kind ~ "; hint: "
        ~ ('create the release in a model, and ' if kind == 'snapshot' else '') ~ "set materialized='anonymized'") %}
    {% elif kind != 'protected' and modules.re.search(counts, code) %}
      {% do refused.append(
        node.name ~ ' has a PROTECT clause with materialized=' ~ kind ~ "; hint: "
        ~ ('create the table in a model, and ' if kind == 'snapshot' else '') ~ "set materialized='protected'") %}
    {% elif kind not in ['protected', 'anonymized'] and node.config.get('policy') is not none %}
      {% do refused.append(
        node.name ~ ' has a policy, but materialized=' ~ kind ~ " would show the raw rows of its query; hint: set materialized='protected'") %}
    {% elif kind == 'snapshot' and kanon_sql.releases_behind(node, release) %}
      {% do refused.append(
        node.name ~ ' is a snapshot of the release ' ~ kanon_sql.releases_behind(node, release) | join(', ') ~ ', which '
        ~ reasons['snapshot'] ~ '; hint: take a snapshot of the source, and release the snapshot') %}
    {% elif kind != 'anonymized' and (node.config.get('k') is not none or node.config.get('k_map') is not none or node.config.get('presence') is not none)
        and node.columns.values() | map(attribute='tags') | sum(start=[]) | select('in', roles) | list %}
      {% do refused.append(
        node.name ~ ' guarantees k, but materialized=' ~ kind ~ " would release the raw rows of its query; hint: set materialized='anonymized'") %}
    {% endif %}
  {% endfor %}
  {% if refused %}
    {% do exceptions.raise_compiler_error(refused | join('\n')) %}
  {% endif %}
{% endmacro %}


{#- The names of the releases that a node reads, itself or through other nodes. -#}
{% macro releases_behind(node, release) %}
  {% set found = [] %}
  {% set reached = node.depends_on.nodes | list %}
  {#- The list grows while it is read: parents, their parents, and so on. -#}
  {% for name in reached %}
    {% set parent = graph.nodes.get(name) %}
    {% if parent and (parent.config.materialized == 'anonymized' or modules.re.search(release, kanon_sql.code(parent))) %}
      {% do found.append(parent.name) %}
    {% elif parent %}
      {% do reached.extend(parent.depends_on.get('nodes', []) | reject('in', reached) | list) %}
    {% endif %}
  {% endfor %}
  {{ return(found) }}
{% endmacro %}


{#- The text of a node without its comments; texts and quoted names may hold what begins one. -#}
{% macro code(node) %}
  {% set quoted = "'(?:[^']|'')*'" ~ '|"(?:[^"]|"")*"' %}
  {{ return(modules.re.sub('(?s)(' ~ quoted ~ ')|\\{#.*?#\\}|/\\*.*?\\*/|--[^\\n]*', '\\1 ', node.raw_code)) }}
{% endmacro %}
