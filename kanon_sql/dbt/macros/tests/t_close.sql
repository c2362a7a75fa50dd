{#- t_close(quasi_identifiers, sensitive, t, metric='equal'): in every class the values are distributed as in the whole table, but for t.
    'equal': the sum of max(0, share in the class - share in the table); values that a class lacks add nothing.
    'ordered': the sum of |share up to a value in the class - the same in the table|, over the number of values less 1.
    A row of the result is a class that is too far away: its size and its distance. -#}
{% test t_close(model, quasi_identifiers, sensitive, t, metric='equal') %}
{%- set threshold = kanon_sql.fraction(t) -%}
{%- if metric not in ['equal', 'ordered'] -%}
  {%- do exceptions.raise_compiler_error('t_close has no metric ' ~ metric ~ '; hint: use equal or ordered') -%}
{%- endif -%}
with class_values as (
    {{ kanon_sql.class_values(model, quasi_identifiers, sensitive) }}
),
{%- if metric == 'equal' %}
differences as (
    select
        class_number,
        system.main.sum(value_rows) over (partition by class_number) as class_size,
        system.main.sum(value_rows) over () as table_size,
        1 as steps,
        value_rows * system.main.sum(value_rows) over () - system.main.sum(value_rows) over (partition by value_number)
            * system.main.sum(value_rows) over (partition by class_number) as difference
    from class_values
),
work as (
    select class_number, class_size, table_size, steps, case when difference > 0 then difference else 0 end as work
    from differences
)
{%- else %}
grid as (
    select classes.class_number, classes.class_size, values_of_all.value_number, values_of_all.value_rows as all_rows, 0 as own_rows
    from (select class_number, system.main.sum(value_rows) as class_size from class_values group by class_number) as classes
    cross join (select value_number, system.main.sum(value_rows) as value_rows from class_values group by value_number) as values_of_all
    union all
    select class_number, 0, value_number, 0, value_rows from class_values
),
cells as (
    select class_number, value_number, system.main.max(class_size) as class_size, system.main.sum(all_rows) as all_rows, system.main.sum(own_rows) as own_rows
    from grid
    group by class_number, value_number
),
work as (
    select
        class_number,
        class_size,
        system.main.sum(all_rows) over (partition by class_number) as table_size,
        system.main.max(value_number) over () - 1 as steps,
        system.main.abs(
            system.main.sum(own_rows) over (partition by class_number order by value_number asc nulls last) * system.main.sum(all_rows) over (partition by class_number)
            - system.main.sum(all_rows) over (partition by class_number order by value_number asc nulls last) * class_size
        ) as work
    from cells
)
{%- endif %}
select class_size, system.main.sum(work)::double / system.main.nullif(class_size * table_size * steps, 0) as distance
from work
group by class_number, class_size, table_size, steps
having system.main.sum(work) * {{ threshold[1] }} > {{ threshold[0] }} * class_size * table_size * steps
order by distance desc nulls last, class_size asc nulls last
{% endtest %}
