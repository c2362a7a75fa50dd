"""A suite that goes on attacking: random tables, policies and surfaces, each release judged by an independent checker.

`guarantee`, `table`, `requirement_rules`, `label_rules`, `ladders`, `row_assignment`, `checker` and `brute_force` import
nothing of kanon-sql: a checker must not share code with what it checks.
"""
