-- The clause is the policy.
{{ config(materialized='anonymized') }}

select zip, age, severity
from {{ ref('stg_patients') }}
anonymize by zip in digits, age in intervals (5, 10, 30)
guarantee k >= 5 and t(severity, 'ordered') <= 0.3
