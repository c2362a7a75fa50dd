{% macro question_k(requirement, read, names, relation) %}
  {{ return('select k >= ' ~ requirement['k'] ~ ", 'k = ' || k from k_anonymity(" ~ read ~ ')') }}
{% endmacro %}
