select patient_id, full_name, zip, age, job, diagnosis, severity
from {{ ref('patients') }}
