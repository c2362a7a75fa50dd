{#- [numerator, denominator] of 5, 0.3, '5/2': thresholds are compared in whole numbers. -#}
{% macro fraction(value) %}
  {% set text = value | string | trim %}
  {% if modules.re.fullmatch('[0-9]{1,9}(\\.[0-9]{1,6})?', text) %}
    {% set parts = text.split('.') + [''] %}
    {{ return([(parts[0] ~ parts[1]) | int, 10 ** (parts[1] | length)]) }}
  {% elif modules.re.fullmatch('[0-9]{1,9}/[1-9][0-9]{0,8}', text) %}
    {% set parts = text.split('/') %}
    {{ return([parts[0] | int, parts[1] | int]) }}
  {% endif %}
  {% do exceptions.raise_compiler_error(text ~ " is not a threshold; hint: write 5, 0.3 (at most 6 decimals) or '1/3'") %}
{% endmacro %}
