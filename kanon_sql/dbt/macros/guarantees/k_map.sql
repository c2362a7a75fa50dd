{% macro question_k_map(requirement, read, names, relation) %}
  {{ return('select k >= ' ~ requirement['k'] ~ ", 'k = ' || k || ' in the population' from k_mapping(" ~ read ~ ')') }}
{% endmacro %}
