-- quasi_identifiers(missing; hint): the quasi-identifiers as columns of source; missing is what stands for them when qi is NULL.

CASE
    WHEN qi IS NULL THEN <missing>
@checked_columns(<hint>)
@listed_columns()
