{#- The policy of an anonymized model: its config, and the tags and meta of its columns. -#}

{#- role -> columns, spelled as the query spells them. Every column has exactly one role; no column is forgotten. -#}
{% macro roles(columns) %}
  {% set roles = {'quasi_identifier': [], 'sensitive': [], 'insensitive': [], 'identifier': []} %}
  {% set spelled = {} %}
  {% for column in columns %}
    {% do spelled.update({column | lower: column}) %}
  {% endfor %}
  {% set described = {} %}
  {% for column in model.columns.values() %}
    {% do described.update({column.name | lower: column}) %}
  {% endfor %}

  {% set unknown = kanon_sql.unknown(described.keys(), spelled) %}
  {% if unknown %}
    {% do exceptions.raise_compiler_error(
      'the query does not have these described columns: ' ~ unknown | join(', ') ~ '; hint: correct their names') %}
  {% endif %}
  {% set untagged, misspelled = [], [] %}
  {% for key, column in spelled.items() %}
    {% set tags = described.get(key, {}).get('tags', []) | select('in', roles) | unique | list %}
    {% if tags | length > 1 %}
      {% do exceptions.raise_compiler_error(
        'the column "' ~ column ~ '" is tagged as ' ~ tags | join(' and as ') ~ '; hint: keep only one of these tags') %}
    {% elif tags %}
      {% do roles[tags[0]].append(column) %}
    {% else %}
      {#- Other programs have tags of their own: only a tag like a role is taken for a misspelled one. -#}
      {% for tag in kanon_sql.unknown(described.get(key, {}).get('tags', []), roles) if 'did you mean' in tag %}
        {% do misspelled.append(column ~ ': ' ~ tag) %}
      {% endfor %}
      {% do untagged.append(column) %}
    {% endif %}
  {% endfor %}
  {% if misspelled %}
    {% do exceptions.raise_compiler_error(
      'columns with an unknown tag: ' ~ misspelled | join(', ') ~ '; hint: tag each as one of ' ~ roles | join(', ')) %}
  {% elif untagged %}
    {% do exceptions.raise_compiler_error(
      'untagged columns: ' ~ untagged | join(', ') ~ '; hint: tag each as one of ' ~ roles | join(', ')) %}
  {% endif %}
  {{ return(roles) }}
{% endmacro %}


{#- The policy as the function anonymize(tbl, policy) reads it. -#}
{% macro policy(roles) %}
  {% if config.get('k') is none and config.get('k_map') is none and config.get('presence') is none %}
    {% do exceptions.raise_compiler_error("no k is guaranteed; hint: write config(materialized='anonymized', k=5)") %}
  {% endif %}
  {% set options = kanon_sql.options(roles) %}
  {% set policy = {'quasi_identifiers': [], 'requirements': []} %}
  {% if config.get('k') is not none %}
    {% do policy['requirements'].append({'type': 'k', 'k': config.get('k'), 'per_row': config.get('per_row', false)}) %}
  {% elif config.get('per_row') is not none %}
    {% do exceptions.raise_compiler_error('per_row needs k; hint: set k=5') %}
  {% endif %}
  {% if config.get('presence') is not none and config.get('population') is none %}
    {% do exceptions.raise_compiler_error("presence needs a population; hint: write config(presence=0.2, population='census')") %}
  {% elif config.get('presence') is not none %}
    {% do policy['requirements'].append(
      {'type': 'presence', 'delta': config.get('presence'), 'population': kanon_sql.table(config.get('population'))}) %}
  {% endif %}
  {% if (config.get('k_map') is none) != (config.get('population') is none) and config.get('presence') is none or
      config.get('k_map') is not none and config.get('population') is none %}
    {% do exceptions.raise_compiler_error("k_map and population must be set together; hint: write config(k_map=5, population='census')") %}
  {% elif config.get('k_map') is not none %}
    {% do policy['requirements'].append(
      {'type': 'k_map', 'k': config.get('k_map'), 'population': kanon_sql.table(config.get('population'))}) %}
  {% endif %}
  {% for column in roles['quasi_identifier'] %}
    {% set recoding = options[column].get('recoding') %}
    {% if recoding is mapping %}
      {% set table = {'hierarchy': 'table', 'regions': 'edges'}.get(recoding.get('type')) %}
      {% if recoding.get(table) is string %}
        {% set recoding = dict(recoding, **{table: kanon_sql.table(recoding[table])}) %}
      {% endif %}
    {% endif %}
    {% do policy['quasi_identifiers'].append(
      {'column': column, 'weight': options[column].get('weight', 1), 'recoding': recoding}) %}
  {% endfor %}
  {% for column in roles['sensitive'] %}
    {% set requirements = kanon_sql.requirements(column, options[column]) %}
    {% do policy['requirements'].extend(requirements) %}
  {% endfor %}
  {% if config.get('per') is not none %}
    {% if config.get('k') is none %}
      {% do exceptions.raise_compiler_error('per needs k; hint: set k=5') %}
    {% endif %}
    {% if config.get('per') not in roles['identifier'] %}
      {% do exceptions.raise_compiler_error(
        'people are identified by "' ~ config.get('per') ~ '", but the query has no identifier with that name; hint: tag it as an identifier, '
        ~ 'spelled as in the query') %}
    {% endif %}
    {% do policy['requirements'].append({'type': 'people', 'k': config.get('k'), 'per': config.get('per')}) %}
  {% endif %}
  {% set tokens = kanon_sql.pseudonyms(roles) %}
  {% do policy.update({'keep': roles['insensitive'] + tokens}) %}
  {% if tokens %}
    {% set linkable = [] %}
    {% for column in tokens if options[column].get('linkable') %}
      {% do linkable.append(column) %}
    {% endfor %}
    {% do policy.update({'pseudonyms': tokens, 'linkable': linkable}) %}
  {% endif %}
  {% for key in kanon_sql.model_options() if config.get(key) is not none %}
    {% do policy.update({key: config.get(key)}) %}
  {% endfor %}
  {{ return(policy) }}
{% endmacro %}


{#- A key that nobody knows is an error: a misspelled time_limit or strict would be ignored. -#}
{% macro refuse_unknown_config() %}
  {% set own = ['k', 'per', 'per_row', 'k_map', 'presence', 'population', 'strict', 'incremental_key'] + kanon_sql.append_options() + kanon_sql.model_options() %}
  {% set unknown = kanon_sql.unknown(model.config, own, of_model=true) %}
  {% if unknown %}
    {% do exceptions.raise_compiler_error(
      'the config has unknown keys: ' ~ unknown | join(', ') ~ '; hint: use ' ~ own | join(', ')
      ~ ' and the keys of dbt; put keys of other programs in meta') %}
  {% endif %}
  {% set idle = kanon_sql.append_options() | select('in', model.config) | list if config.get('incremental_key') is none else [] %}
  {% if idle %}
    {% do exceptions.raise_compiler_error(
      idle | join(', ') ~ ' in the config applies only to a growing release; hint: set incremental_key, or remove it') %}
  {% endif %}
{% endmacro %}


{#- The given keys that are not known, with suggestions. -#}
{% macro unknown(given, known, of_model=false) %}
  {% set lists = [] %}
  {% for names in [given, known] %}
    {% set texts = [] %}
    {% for name in names %}
      {% do texts.append("'" ~ name | string | replace("'", "''") ~ "'") %}
    {% endfor %}
    {% do lists.append('cast([' ~ texts | join(', ') ~ '] as varchar[])') %}
  {% endfor %}
  {% set question = 'select system.main.unnest(system.main.kanon_unknown(' ~ lists | join(', ') ~ ', ' ~ of_model ~ '))' %}
  {{ return(run_query(question).columns[0].values() | list) }}
{% endmacro %}


{% macro model_options() %}
  {{ return(['masks', 'linked', 'algorithm', 'time_limit', 'effort', 'seed', 'max_suppressed', 'suppress', 'row_order', 'unlisted_limit']) }}
{% endmacro %}


{#- column -> what its meta says under "kanon"; a key that its role does not have is an error. -#}
{% macro options(roles) %}
  {% set known = {
    'quasi_identifier': ['weight', 'recoding'],
    'sensitive': kanon_sql.sensitive_options(),
    'insensitive': [],
    'identifier': ['pseudonym', 'linkable']} %}
  {% set meta = {} %}
  {% for column in model.columns.values() %}
    {% do meta.update({column.name | lower: column.meta.get('kanon', {})}) %}
  {% endfor %}
  {% set options = {} %}
  {% for role, columns in roles.items() %}
    {% for column in columns %}
      {% set given = meta[column | lower] %}
      {% if given is not mapping %}
        {% do exceptions.raise_compiler_error(
          'meta.kanon of the column "' ~ column ~ '" must be a mapping; hint: write meta: {kanon: {l: 2}}') %}
      {% endif %}
      {% set unknown = kanon_sql.unknown(given, known[role]) if given else [] %}
      {% if unknown %}
        {% do exceptions.raise_compiler_error(
          'meta.kanon of the ' ~ role ~ ' column "' ~ column ~ '" has unknown keys: ' ~ unknown | join(', ')
          ~ '; hint: the keys are ' ~ (known[role] | join(', ') or 'none')) %}
      {% endif %}
      {% do options.update({column: given}) %}
    {% endfor %}
  {% endfor %}
  {{ return(options) }}
{% endmacro %}


{#- The identifiers of which tokens are released. -#}
{% macro pseudonyms(roles) %}
  {% set options = kanon_sql.options(roles) %}
  {% set found = [] %}
  {% for column in roles['identifier'] %}
    {% if options[column].get('pseudonym') %}
      {% do found.append(column) %}
    {% elif options[column].get('linkable') %}
      {% do exceptions.raise_compiler_error(
        'the column "' ~ column ~ '" is linkable, but not a pseudonym; hint: write meta: {kanon: {pseudonym: true, linkable: true}}') %}
    {% endif %}
  {% endfor %}
  {{ return(found) }}
{% endmacro %}


{#- The columns that the release sees: without identifiers, but for the one by which people are counted and pseudonyms. -#}
{% macro released_columns(columns, roles) %}
  {% set tokens = kanon_sql.pseudonyms(roles) %}
  {% set found = [] %}
  {% for column in columns %}
    {% set name = kanon_sql.quoted([column]) %}
    {% if column in tokens %}
      {% set question = "select system.main.kanon_token('" ~ column | replace("'", "''") ~ "', " ~ (column == config.get('per')) ~ ')' %}
      {% do found.append(run_query(question).rows[0][0]) %}
    {% elif column not in roles['identifier'] or column == config.get('per') %}
      {% do found.append(name) %}
    {% endif %}
  {% endfor %}
  {{ return(found | join(', ')) }}
{% endmacro %}


{#- A query whose rows are groups needs per or per_row. The clause of a model is checked when it is read. -#}
{% macro refuse_groups(text) %}
  {% set per = "'" ~ adapter.escape_sql_string(config.get('per') or '') ~ "'" %}
  {% do run_query('select system.main.kanon_rows_counted(' ~ text ~ ', ' ~ per ~ ', ' ~ (config.get('per_row') is true) ~ ')') %}
{% endmacro %}


{#- The clause is the whole policy of its model. -#}
{% macro refuse_second_policy() %}
  {% set roles = ['quasi_identifier', 'sensitive', 'insensitive', 'identifier'] %}
  {% set given = (['k', 'per', 'per_row', 'k_map', 'presence', 'population', 'incremental_key'] + kanon_sql.model_options()) | select('in', model.config) | list %}
  {% for column in model.columns.values() %}
    {% do given.extend(column.tags | select('in', roles)) %}
  {% endfor %}
  {% if given %}
    {% do exceptions.raise_compiler_error(
      'the ANONYMIZE clause and ' ~ given | unique | join(', ') ~ ' are two policies for one model; hint: remove the config and '
      ~ 'the tags, or the clause') %}
  {% endif %}
{% endmacro %}


{#- The table behind a name: of a model or seed of the project, or, with its schema before a dot, any table. -#}
{% macro table(name) %}
  {{ return(name if '.' in name else ref(name).render()) }}
{% endmacro %}


{% macro quoted(columns) %}
  {% set names = [] %}
  {% for column in columns %}
    {% do names.append(adapter.quote(column | replace('"', '""'))) %}
  {% endfor %}
  {{ return(names | join(', ')) }}
{% endmacro %}
