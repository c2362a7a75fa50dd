"""The audit of a ledger, and what it says of its findings."""
