"""A policy and the query that is released under it, in one text: two statements."""

from __future__ import annotations

from kanon_sql.clause.corrections import corrected
from kanon_sql.clause.definitions import CreatePolicy, begins_definition, parse_definition
from kanon_sql.clause.script import CorrectableError, Script
from kanon_sql.clause.single import Anonymized, single_release
from kanon_sql.errors import PolicyError, raise_alone
from kanon_sql.model.policy import Policy
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import same_name


def release_with_policy(sql: str) -> tuple[StoredPolicy, Anonymized] | None:
    """Take apart ``CREATE ANONYMIZATION POLICY ...; query ANONYMIZE WITH POLICY name``; None where no policy is created.

    Parameters
    ----------
    sql : str
        Two statements.

    Raises
    ------
    ClauseError
        When one of them cannot be read.
    PolicyError
        When the second one is not a query with that policy.

    Examples
    --------
    >>> policy = "CREATE ANONYMIZATION POLICY p ON visits (IDENTIFIER id AS PSEUDONYM; BY zip; GUARANTEE k >= 5)"
    >>> stored, release = release_with_policy(f"{policy}; FROM visits ANONYMIZE WITH POLICY p")
    >>> stored.pseudonyms, release.query
    (('id',), 'FROM visits')
    """
    try:
        script = Script.read(sql)
        statements = list(script.statements())
        if not statements or not begins_definition(script, statements[0][0]):
            return None
        script.match_brackets()
        created = parse_definition(script, *statements[0])
    except CorrectableError as wrong:
        raise_alone(corrected(wrong))
    if isinstance(created, CreatePolicy) and isinstance(created.policy, StoredPolicy) and len(statements) == 2:
        first, end = statements[1]
        release = single_release(sql[script.start(first) : script.stop(end - 1)])
        named = None if release is None or isinstance(release.policy, Policy) else same_name(release.policy)
        if release is not None and named == same_name(created.policy.name):
            return created.policy, release
    raise PolicyError(
        "expected a policy, then a release that uses it; hint: write CREATE ANONYMIZATION POLICY p ...; FROM t ANONYMIZE "
        "WITH POLICY p"
    )
