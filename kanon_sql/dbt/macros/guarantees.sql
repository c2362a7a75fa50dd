{#- The guarantees: how the meta of a column asks for them, and for each type a query of one row: whether it holds, and the figure of the
    worst class. -#}
{% macro sensitive_options() %}
  {{ return(['l', 'variant', 'c', 't', 'metric', 'hierarchy', 'alpha', 'beta', 'delta']) }}
{% endmacro %}


{#- What is guaranteed of a sensitive column, as requirements in JSON. -#}
{% macro requirements(column, given) %}
  {% set found = [] %}
  {% for type, keys in {'l': ['variant', 'c'], 't': ['metric', 'hierarchy']}.items() %}
    {% set about = {} %}
    {% for key in keys if given.get(key) is not none %}
      {% do about.update({key: given[key]}) %}
    {% endfor %}
    {% if given.get(type) is not none %}
      {% set metric = about.get('metric', 'equal') %}
      {% if metric not in ['equal', 'ordered', 'numeric', 'hierarchical'] %}
        {% do about.update({'metric': kanon_sql.table(metric)}) %}
      {% endif %}
      {% if 'hierarchy' in about %}
        {% do about.update({'hierarchy': kanon_sql.table(about['hierarchy'])}) %}
      {% endif %}
      {% do found.append(dict({'type': type, 'sensitive': column, type: given[type]}, **about)) %}
    {% elif about %}
      {% do exceptions.raise_compiler_error(
        'meta.kanon of the column "' ~ column ~ '": ' ~ about | join(' and ') ~ ' has no effect without ' ~ type ~ '; hint: set '
        ~ type ~ ', too') %}
    {% endif %}
  {% endfor %}
  {% set shares = given.get('alpha', {}) %}
  {% if shares is not mapping %}
    {% do exceptions.raise_compiler_error(
      'alpha in meta.kanon of the column "' ~ column ~ '" lists no value; hint: write alpha: {hiv: 0.2}') %}
  {% endif %}
  {% for value, share in shares.items() %}
    {% do found.append({'type': 'alpha', 'sensitive': column, 'value': value, 'alpha': share}) %}
  {% endfor %}
  {% for type in ['beta', 'delta'] if given.get(type) is not none %}
    {% do found.append({'type': type, 'sensitive': column, type: given[type]}) %}
  {% endfor %}
  {% if not found %}
    {% do exceptions.raise_compiler_error(
      'the sensitive column "' ~ column ~ '" has no guarantee; hint: write meta: {kanon: {l: 2}} or {t: 0.3}, or, if any row may '
      ~ 'show any of its values, use the tag insensitive') %}
  {% endif %}
  {{ return(found) }}
{% endmacro %}


{% macro question_k(requirement, read, names, relation) %}
  {{ return('select k >= ' ~ requirement['k'] ~ ", 'k = ' || k from k_anonymity(" ~ read ~ ')') }}
{% endmacro %}

{% macro question_l(requirement, read, names, relation) %}
  {% set l, unit = kanon_sql.fraction(requirement['l']) %}
  {% set macro = ' from l_diversity(' ~ read ~ ', ' %}
  {% set variant = requirement.get('variant', 'frequency') %}
  {% if variant == 'frequency' %}
    {{ return('select worst_count * ' ~ l ~ ' <= worst_size * ' ~ unit ~ ", 'l = ' || worst_size || '/' || worst_count" ~ macro ~ '2)') }}
  {% elif variant == 'recursive' %}
    {% set c, parts = kanon_sql.fraction(requirement['c']) %}
    {{ return('select recursive_top * ' ~ parts ~ ' < ' ~ c ~ " * recursive_rest, 'c = ' || recursive_top || '/' || recursive_rest"
      ~ macro ~ (l // unit) ~ ')') }}
  {% endif %}
  {{ return('select ' ~ variant ~ '_l * ' ~ unit ~ ' >= ' ~ l ~ ", 'l = ' || " ~ variant ~ '_l' ~ macro ~ '2)') }}
{% endmacro %}

{% macro question_t(requirement, read, names, relation) %}
  {% set t, unit = kanon_sql.fraction(requirement['t']) %}
  {% set tree = requirement.get('hierarchy') %}
  {{ return('select t_numerator * ' ~ unit ~ ' <= ' ~ t ~ " * t_denominator, 't = ' || t_numerator || '/' || t_denominator"
    ~ ' from t_closeness(' ~ read ~ ", '" ~ requirement.get('metric', 'equal') | replace("'", "''") ~ "', "
    ~ ("'" ~ tree | replace("'", "''") ~ "'" if tree else 'null') ~ ')') }}
{% endmacro %}

{% macro question_alpha(requirement, read, names, relation) %}
  {% set alpha, unit = kanon_sql.fraction(requirement['alpha']) %}
  {% set value = requirement['value'] | replace("'", "''") %}
  {% set share = 'system.main.count(*) filter (' ~ kanon_sql.quoted([requirement['sensitive']]) ~ "::varchar = '" ~ value ~ "')" %}
  {{ return('select system.main.bool_and(n * ' ~ unit ~ ' <= size * ' ~ alpha ~ "), 'alpha = ' || system.main.round(system.main.max(n::double / size), 3) from (select "
    ~ share ~ ', system.main.count(*) from ' ~ relation ~ ' group by ' ~ kanon_sql.quoted(names) ~ ') as classes(n, size)') }}
{% endmacro %}

{% macro question_beta(requirement, read, names, relation) %}
  {% set beta, unit = kanon_sql.fraction(requirement['beta']) %}
  {{ return('select beyond_log = 0 and worst_count::hugeint * "rows" * ' ~ unit ~ ' <= worst_size::hugeint * worst_total * ' ~ (beta + unit)
    ~ ", 'beta = ' || system.main.round(beta, 3) from beta_likeness(" ~ read ~ ')') }}
{% endmacro %}

{% macro question_delta(requirement, read, names, relation) %}
  {% set delta, unit = kanon_sql.fraction(requirement['delta']) %}
  {#- What rounding leaves in doubt is refused. -#}
  {{ return('select delta < ' ~ delta ~ '::double / ' ~ unit ~ " - 1e-12, 'delta = ' || system.main.round(delta, 3) from delta_disclosure("
    ~ read ~ ')') }}
{% endmacro %}

{% macro question_k_map(requirement, read, names, relation) %}
  {{ return('select k >= ' ~ requirement['k'] ~ ", 'k = ' || k || ' in the population' from k_mapping(" ~ read ~ ')') }}
{% endmacro %}

{% macro question_presence(requirement, read, names, relation) %}
  {% set delta, unit = kanon_sql.fraction(requirement['delta']) %}
  {{ return('select coalesce(parts * ' ~ unit ~ ' <= ' ~ delta ~ " * unit, false), 'presence = ' || coalesce(presence::varchar, 'unknown')"
    ~ ' from delta_presence(' ~ read ~ ')') }}
{% endmacro %}
