-- A table function in a plain model; it may also be one of many CTEs.
{{ config(materialized='table') }}

with people as (
    select zip, age, diagnosis
    from {{ ref('stg_patients') }}
)
select *
from t_close('people', 'diagnosis', 0.25, k := 4, recodings := map {'zip': 'DIGITS', 'age': 'INTERVALS (10, 30)'})
