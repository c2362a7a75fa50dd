"""The ladders of a policy: what each value of a generalized column shows at each level."""

from kanon_sql.generalize.ladders import ladders

__all__ = ["ladders"]
