{#- The audit of a new relation before it is handed out: every requirement, by the audit macros of kanon-sql, which are plain SQL.
    Without rows there is no class that could fall short. -#}
{% macro audit(relation, policy, source) %}
  {% set table = "'" ~ adapter.escape_sql_string(relation.render()) ~ "'" %}
  {% set names = policy['quasi_identifiers'] | map(attribute='column') | list %}
  {% set qi = "['" ~ names | map('replace', "'", "''") | join("', '") ~ "']" %}
  {% set questions = [
    'select (select system.main.count(*) from ' ~ source ~ ") = \"rows\", \"rows\" || ' rows in ' || classes || ' classes' from k_anonymity("
      ~ table ~ ', ' ~ qi ~ ')'] %}
  {% set some = run_query('select system.main.count(*) > 0 from ' ~ source).rows[0][0] %}
  {#- The release does not tell whose its rows are: people were counted by the statement that made it. -#}
  {% for requirement in policy['requirements'] if some and requirement['type'] != 'people' %}
    {#- The texts of the population do not tell what generalized cells match, nor what stands for a suppressed one: the statement
        that made the release has counted that. -#}
    {% set plain = not (policy['quasi_identifiers'] | map(attribute='recoding') | select | list) and policy.get('suppress') in [none, '*'] %}
    {% if requirement['type'] not in ['k_map', 'presence'] or plain %}
      {% do questions.append(kanon_sql.question(requirement, table, qi, names, relation)) %}
    {% endif %}
  {% endfor %}
  {% set figures = [] %}
  {% for question in questions %}
    {% set holds, figure = run_query(question).rows[0].values() %}
    {% do figures.append(figure) %}
    {% if not holds %}
      {% do exceptions.raise_compiler_error(
        'the audit refused the release: ' ~ figures | join(', ') ~ '; hint: the previous release is still in place') %}
    {% endif %}
  {% endfor %}
  {% do log('kanon: ' ~ this.identifier ~ ': ' ~ figures | join(', '), info=True) %}
{% endmacro %}


{#- A query of one row: whether the requirement holds, and the figure of the worst class. -#}
{% macro question(requirement, table, qi, names, relation) %}
  {% set type = requirement['type'] %}
  {% if type == 'k' %}
    {{ return("select k >= " ~ requirement['k'] ~ ", 'k = ' || k from k_anonymity(" ~ table ~ ', ' ~ qi ~ ')') }}
  {% endif %}
  {% if type == 'k_map' %}
    {{ return('select k >= ' ~ requirement['k'] ~ ", 'k = ' || k || ' in the population' from k_mapping(" ~ table ~ ', ' ~ qi ~ ", '"
      ~ requirement['population'] | replace("'", "''") ~ "')") }}
  {% endif %}
  {% if type == 'presence' %}
    {% set delta = kanon_sql.fraction(requirement['delta']) %}
    {{ return('select coalesce(parts * ' ~ delta[1] ~ ' <= ' ~ delta[0] ~ " * unit, false), 'presence = ' || coalesce(presence::varchar, 'unknown')"
      ~ ' from delta_presence(' ~ table ~ ', ' ~ qi ~ ", '" ~ requirement['population'] | replace("'", "''") ~ "')") }}
  {% endif %}
  {% set column = requirement['sensitive'] %}
  {% set sa = "'" ~ column | replace("'", "''") ~ "'" %}
  {% set threshold = kanon_sql.fraction(requirement[type]) %}
  {% set numerator, denominator = threshold[0], threshold[1] %}
  {% if type == 't' %}
    {% set tree = requirement.get('hierarchy') %}
    {{ return("select t_numerator * " ~ denominator ~ " <= " ~ numerator ~ " * t_denominator, 't = ' || t_numerator || '/' || t_denominator"
      ~ ' from t_closeness(' ~ table ~ ', ' ~ qi ~ ', ' ~ sa ~ ", '" ~ requirement.get('metric', 'equal') | replace("'", "''") ~ "', "
      ~ ("'" ~ tree | replace("'", "''") ~ "'" if tree else 'null') ~ ')') }}
  {% elif type == 'beta' %}
    {{ return('select beyond_log = 0 and worst_count::hugeint * "rows" * ' ~ denominator ~ ' <= worst_size::hugeint * worst_total * '
      ~ (numerator + denominator) ~ ", 'beta = ' || system.main.round(beta, 3) from beta_likeness(" ~ table ~ ', ' ~ qi ~ ', ' ~ sa ~ ')') }}
  {% elif type == 'delta' %}
    {#- What rounding leaves in doubt is refused. -#}
    {{ return('select delta < ' ~ numerator ~ '::double / ' ~ denominator ~ " - 1e-12, 'delta = ' || system.main.round(delta, 3) from delta_disclosure("
      ~ table ~ ', ' ~ qi ~ ', ' ~ sa ~ ')') }}
  {% elif type == 'alpha' %}
    {% set share = 'system.main.count(*) filter (' ~ kanon_sql.quoted([column]) ~ "::varchar = '" ~ requirement['value'] | replace("'", "''") ~ "')" %}
    {{ return('select system.main.bool_and(n * ' ~ denominator ~ ' <= size * ' ~ numerator ~ "), 'alpha = ' || system.main.round(system.main.max(n::double / size), 3) from (select "
      ~ share ~ ', system.main.count(*) from ' ~ relation ~ ' group by ' ~ kanon_sql.quoted(names) ~ ') as classes(n, size)') }}
  {% endif %}
  {% set macro = ' from l_diversity(' ~ table ~ ', ' ~ qi ~ ', ' ~ sa ~ ', ' %}
  {% set variant = requirement.get('variant', 'frequency') %}
  {% if variant == 'frequency' %}
    {{ return('select worst_count * ' ~ numerator ~ ' <= worst_size * ' ~ denominator ~ ", 'l = ' || worst_size || '/' || worst_count"
      ~ macro ~ '2)') }}
  {% elif variant == 'recursive' %}
    {% set c = kanon_sql.fraction(requirement['c']) %}
    {{ return('select recursive_top * ' ~ c[1] ~ ' < ' ~ c[0] ~ " * recursive_rest, 'c = ' || recursive_top || '/' || recursive_rest"
      ~ macro ~ (numerator // denominator) ~ ')') }}
  {% endif %}
  {{ return('select ' ~ variant ~ '_l * ' ~ denominator ~ ' >= ' ~ numerator ~ ", 'l = ' || " ~ variant ~ '_l' ~ macro ~ '2)') }}
{% endmacro %}
