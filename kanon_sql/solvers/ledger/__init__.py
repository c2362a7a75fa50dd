"""What the published tables of a ledger prove together: elementary values, views, groups, and integer programs."""
