-- The policy is in the config and in the tags of the columns (released.yml): depends_on: {{ ref('job_levels') }}
{{ config(materialized='anonymized', k=5) }}

select patient_id, full_name, zip, age, job, diagnosis, severity
from {{ ref('stg_patients') }}
