"""A notebook as a script: a data frame in, a release with its certificate out, the risk before and after.

Run it with `python examples/notebook.py`, or open it cell by cell (each `# %%` is a cell).
"""

# %% A data frame of invented customers: a few regions are large, high ages are rare.
import numpy as np
import pandas as pd

import kanon_sql

random = np.random.default_rng(20)
ROWS = 4_000
region = random.choice(["north", "south", "east", "west", "islands"], ROWS, p=[0.4, 0.3, 0.2, 0.09, 0.01])
age = np.clip(random.normal(44, 15, ROWS), 18, 95).astype(int) // 5 * 5
customers = pd.DataFrame(
    {
        "customer": np.arange(ROWS) + 70_000,
        "region": region,
        "age": age,
        "children": random.poisson(np.where(age < 30, 0.3, 1.4)).astype("int8"),
        "since": pd.to_datetime("2019-01-01") + pd.to_timedelta(random.integers(0, 8, ROWS) * 365, unit="D"),
        "spent": random.gamma(2.0, 400.0, ROWS).round(2),
    }
)
QUASI_IDENTIFIERS = ["region", "age", "children", "since"]
print(customers.head(3).to_string(index=False))

# %% How exposed are they? `uniques` are alone with their combination of values.
before = kanon_sql.audit(customers, quasi_identifiers=QUASI_IDENTIFIERS)
print(f"before: k = {before.k}, {before.uniques} uniques, average risk {before.average_risk:.1%}")

# %% The release. The customer number is dropped; the amount spent is not known to outsiders and stays as it is.
release = kanon_sql.anonymize(customers.drop(columns="customer"), k=5, quasi_identifiers=QUASI_IDENTIFIERS)
certificate = release.certificate
print(f"{certificate.status.value}: {certificate.suppressed_cells:,} of {certificate.cells:,} cells suppressed")
print(f"no release of these rows suppresses fewer than {float(certificate.lower_bound):,.0f} ({certificate.bound_method})")

# %% The audit shares no code with the solver; with `k` it raises an error when a class is smaller.
after = kanon_sql.audit(release.table, quasi_identifiers=QUASI_IDENTIFIERS, k=5)
print(f"after:  k = {after.k}, {after.uniques} uniques, average risk {after.average_risk:.1%}")

# %% What is left to work with: which columns were suppressed, and that nothing else changed.
print(release.table[QUASI_IDENTIFIERS].isna().mean().map("{:.1%} suppressed".format).to_string())
print(f"mean spent: {customers['spent'].mean():.2f} before, {release.table['spent'].mean():.2f} after")

# %% Suppressing an age costs three times as much as any other cell: ages are kept where possible.
weighted = kanon_sql.anonymize(customers.drop(columns="customer"), k=5, quasi_identifiers=QUASI_IDENTIFIERS, weights={"age": 3})
kept = [f"{each.table['age'].notna().mean():.1%}" for each in (release, weighted)]
print(f"ages shown: {kept[0]}, with the weight {kept[1]}")
