{#- l_diverse(quasi_identifiers, sensitive, l, variant='frequency'): in every class, at most 1/l of the rows have the same value;
    'distinct': every class has at least l values. A row of the result is a class that falls short. -#}
{% test l_diverse(model, quasi_identifiers, sensitive, l, variant='frequency') %}
{%- set threshold = kanon_sql.fraction(l) -%}
{%- if variant not in ['frequency', 'distinct'] -%}
  {%- do exceptions.raise_compiler_error('l_diverse has no variant ' ~ variant ~ '; hint: use frequency or distinct') -%}
{%- endif -%}
select class_size, distinct_values, largest_count::double / class_size as largest_share
from (
    select system.main.sum(value_rows) as class_size, system.main.count(*) as distinct_values, system.main.max(value_rows) as largest_count
    from ({{ kanon_sql.class_values(model, quasi_identifiers, sensitive) }}) as class_values
    group by class_number
) as classes
{%- if variant == 'frequency' %}
where largest_count * {{ threshold[0] }} > class_size * {{ threshold[1] }}
{%- else %}
where distinct_values * {{ threshold[1] }} < {{ threshold[0] }}
{%- endif %}
order by largest_share desc nulls last, class_size asc nulls last
{% endtest %}
