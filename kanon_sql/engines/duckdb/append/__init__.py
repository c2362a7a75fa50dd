"""Releases that grow: batch by batch, with a ledger."""
