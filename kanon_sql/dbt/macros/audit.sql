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


{#- A query of one row: whether the requirement holds, and the figure of the worst class. guarantees.sql has a macro for each type. -#}
{% macro question(requirement, table, qi, names, relation) %}
  {% set read = table ~ ', ' ~ qi %}
  {% if 'sensitive' in requirement %}
    {% set read = read ~ ", '" ~ requirement['sensitive'] | replace("'", "''") ~ "'" %}
  {% elif 'population' in requirement %}
    {% set read = read ~ ", '" ~ requirement['population'] | replace("'", "''") ~ "'" %}
  {% endif %}
  {{ return(kanon_sql['question_' ~ requirement['type']](requirement, read, names, relation)) }}
{% endmacro %}
