{#- k_anonymous(quasi_identifiers, k): every class has at least k rows. A row of the result is a class that has fewer: its size. -#}
{% test k_anonymous(model, quasi_identifiers, k) %}
select system.main.count(*) as class_size
from {{ model }}
group by {{ kanon_sql.grouped(quasi_identifiers) }}
having system.main.count(*) < {{ k }}
order by class_size asc nulls last
{% endtest %}


{% macro grouped(columns) %}
  {% if columns is string or columns is not sequence or not columns %}
    {% do exceptions.raise_compiler_error('quasi_identifiers must be a list of columns; hint: write quasi_identifiers: [zip, age]') %}
  {% endif %}
  {% set names = [] %}
  {% for column in columns %}
    {% do names.append(adapter.quote(column)) %}
  {% endfor %}
  {{ return(names | join(', ')) }}
{% endmacro %}


{#- The text of the tests: a row a class and sensitive value, classes and values by their numbers; NULL is a value, the last one. -#}
{% macro class_values(model, quasi_identifiers, sensitive) %}
{%- set qi = kanon_sql.grouped(quasi_identifiers) -%}
select
    system.main.dense_rank() over (order by {% for column in quasi_identifiers %}{{ adapter.quote(column) }} asc nulls last{{ ', ' if not loop.last }}{% endfor %}) as class_number,
    system.main.dense_rank() over (order by {{ adapter.quote(sensitive) }} asc nulls last) as value_number,
    value_rows
from (
    select {{ qi }}, {{ adapter.quote(sensitive) }}, system.main.count(*) as value_rows
    from {{ model }}
    group by {{ qi }}, {{ adapter.quote(sensitive) }}
) as counted
{%- endmacro %}
