"""Whether tokens may be released: what the rows that they link give away together, here and in earlier releases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.engines.duckdb.histories.token_record import OVERTAKEN, TOKENS, Ask, Linked, TokenRecord
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.errors import AuditError, SourceError, raise_alone
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier, same_name

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.certificate import Certificate
    from kanon_sql.engines.duckdb.append.ledger import Ledger
    from kanon_sql.engines.duckdb.connect.session import Session

_TOKEN = "[0-9a-f]{32}"  # noqa: S105 - no password

_DATABASE = """SELECT path IS NOT NULL, readonly FROM system.main.duckdb_databases()
    WHERE database_name = {} AND type = 'duckdb'"""

LINKABLE = "permit it with AS PSEUDONYM (LINKABLE)"


def judge(session: Session, release: int, now: pa.Table, home: str | None, name: str) -> None:
    """Judge the tokens of a release and remember them; note what they give away on its certificate.

    Parameters
    ----------
    release : int
        Its number.
    now : pyarrow.Table
        See `TokenRecord`.
    home : str, optional
        The database that remembers them, an empty text for the session; None leaves it to `judge_batch`.
    name : str
        What the release is called there.

    Raises
    ------
    AuditError
        When tokens that are not linkable single people out.
    SourceError
        When a column of tokens holds other texts, or the release cannot be remembered.
    """
    certificate = session.release(release)
    try:
        policy = Policy.from_json(certificate.policy)
        _require_tokens(now, policy)
        if home is None:
            session.tokens.set_aside(release, now)
            return
        with session.tokens.comparing, session.cursor() as cursor:
            _compare(session, cursor, now, certificate, home, name)
    except BaseException:
        session.forget(certificate)
        raise


def _compare(session: Session, cursor: Any, now: pa.Table, certificate: Certificate, home: str, name: str) -> None:
    """Compare tokens with those of earlier releases, note on the certificate what they give away, and remember them."""
    policy = Policy.from_json(certificate.policy)
    ask = _asker(cursor)
    in_file, readonly = next(iter(ask(_DATABASE.format(literal(home)))), (False, None))
    if readonly and not set(policy.pseudonyms) <= set(policy.linkable):
        raise SourceError(
            "the tokens cannot be recorded in a read-only database, so later releases would not be compared with them; "
            f"nothing was released; hint: open the database for writing, or {LINKABLE}"
        )
    stored = readonly is False
    if stored:
        ask("BEGIN TRANSACTION")
    with closing(TokenRecord(cursor, ask, now, session.tokens.remembered)) as record:
        found = record.risks(policy.pseudonyms, candidates(policy))
        refuse(found, policy)
        lasts = (stored and in_file) or not session.secret.repeatable  # else no later session has the same tokens
        unknown = [] if lasts else not_remembered(policy)
        _note(session, certificate, found, [*permitted(found, policy), *unknown])
        if stored:
            record.note(home, name)
            try:
                ask("COMMIT")
            except duckdb.TransactionException:
                raise_alone(SourceError(OVERTAKEN))
        elif not record.known:
            session.tokens.remembered.append(now)


def _asker(cursor: Any) -> Ask:
    def ask(query: str) -> list[tuple[Any, ...]]:
        return cursor.execute(query).fetchall()  # type: ignore[no-any-return]

    return ask


def _note(session: Session, certificate: Certificate, found: Sequence[Linked], warnings: Iterable[str]) -> Certificate:
    """Note on a certificate what tokens give away, and announce it."""
    all_warnings = (*certificate.warnings, *warnings)
    noted = replace(certificate, histories=tuple(each.risk for each in found), warnings=all_warnings)
    session.amend(noted)
    return noted


def judge_batch(session: Session, con: Any, ask: Ask, certificate: Certificate, ledger: Ledger) -> Certificate:
    """Judge the tokens of a batch and remember them, in the transaction of the batch; return its certificate with the figures.

    Parameters
    ----------
    ask : callable
        Runs a statement on it and returns its rows.
    certificate : Certificate
        That of the batch.
    ledger : Ledger
        Knows the batches before.

    Raises
    ------
    AuditError
        When tokens that are not linkable single people out.
    SourceError
        When the tokens of earlier batches are not known.
    """
    policy = Policy.from_json(certificate.policy)
    number = certificate.number or 0
    now = session.tokens.taken_back(number)
    if now is None:
        return certificate
    with closing(TokenRecord(con, ask, now, session.tokens.remembered)) as record:
        missing = ledger.batch - record.count(ledger.database, ledger.name)
        if missing > 0 and not set(policy.pseudonyms) <= set(policy.linkable):
            raise SourceError(
                f"the tokens of {missing:,} earlier batches are not known, so this batch cannot be compared with them; nothing "
                f"was released; hint: restore the table {TOKENS} from a backup, or {LINKABLE}"
            )
        found = record.risks(policy.pseudonyms, candidates(policy))
        refuse(found, policy)
        record.note(ledger.database, ledger.name, again=True)
    return _note(session, certificate, found, [*permitted(found, policy)])


def foreseen(session: Session, now: pa.Table, policy: Policy) -> list[str]:
    """Return why tokens would be refused, or might be; nothing is remembered.

    Parameters
    ----------
    now : pyarrow.Table
        As for `judge`, of rows that all show the same: any release links as much as that, and some link more.
    policy : Policy
        With pseudonyms.

    Raises
    ------
    SourceError
        When a column of tokens holds other texts.
    """
    _require_tokens(now, policy)
    with (
        session.tokens.comparing,
        session.cursor() as cursor,
        closing(TokenRecord(cursor, _asker(cursor), now, session.tokens.remembered)) as record,
    ):
        return list(refusals(record.risks(policy.pseudonyms, candidates(policy)), policy))


def _require_tokens(now: pa.Table, policy: Policy) -> None:
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(now.column("token"), f"^{_TOKEN}$"), min_count=0).as_py():
        names = ", ".join(map(as_identifier, policy.pseudonyms))
        raise SourceError(
            f"the policy lists {names} as pseudonyms, but some values are not tokens of 32 hexadecimal digits; nothing was "
            "released; hint: use a stored policy to create tokens: IDENTIFIER id AS PSEUDONYM"
        )


def candidates(policy: Policy) -> int:
    """Return how many people must have the same history: as many as a class must have, and nobody may be alone."""
    return max(2, policy.k, 1 if policy.people is None else policy.people.k)


def refuse(found: Sequence[Linked], policy: Policy) -> None:
    """Refuse tokens that are not linkable and single people out.

    Raises
    ------
    AuditError
        The error names the column, with counts.
    """
    for each in _undecided(found, policy):
        reason = _no_people(each, policy) or (_counted(each, policy) if each.below else None)
        if reason is not None:
            raise AuditError(f"{reason}; nothing was released; {_hint(each)}")


def refusals(found: Sequence[Linked], policy: Policy) -> Iterator[str]:
    """Yield why a release would be refused, or might be, given what its tokens link even if all its rows show the same."""
    for each in _undecided(found, policy):
        reason = _no_people(each, policy) or (
            _counted(each, policy, " even if every cell is suppressed,") if each.below else None
        )
        might = (
            f"{_linked(each)}: the release is refused if these rows together leave a person fewer than "
            f"{candidates(policy)} candidates"
        )
        yield f"{reason or might}; {_hint(each)}"


def permitted(found: Sequence[Linked], policy: Policy) -> list[str]:
    """Return warnings of linkable tokens that single people out: the policy decided it, and they still do."""
    linkable = _names(policy.linkable)
    return [_counted(each, policy) for each in found if each.links and each.below and same_name(each.risk.column) in linkable]


def not_remembered(policy: Policy) -> list[str]:
    """Return warnings of tokens that later releases may share and cannot be compared with."""
    linkable = _names(policy.linkable)
    return [
        f"no database file records the tokens of {as_identifier(name)}: later releases with the same secret are not "
        "compared with them"
        for name in policy.pseudonyms
        if same_name(name) not in linkable
    ]


def _undecided(found: Sequence[Linked], policy: Policy) -> Iterator[Linked]:
    """Yield what links rows though the policy does not say that it may."""
    linkable = _names(policy.linkable)
    return (each for each in found if each.links and same_name(each.risk.column) not in linkable)


def _names(columns: Sequence[str]) -> set[str]:
    return set(map(same_name, columns))


def _linked(each: Linked) -> str:
    number = each.risk.releases
    earlier = f" and those of {number:,} earlier release{'s' * (number != 1)}" if number else ""
    return f"the tokens of {as_identifier(each.risk.column)} link rows of this release{earlier}"


def _counted(each: Linked, policy: Policy, though: str = "") -> str:
    risk = each.risk
    return (
        f"{_linked(each)}: together,{though} these rows single out {risk.alone:,} of {risk.people:,} people, and "
        f"{each.below:,} have fewer than {candidates(policy)} candidates"
    )


def _no_people(each: Linked, policy: Policy) -> str | None:
    """Return why tokens do not count people, if another column does."""
    if policy.people is None or same_name(policy.people.per) == same_name(each.risk.column):
        return None
    per = as_identifier(policy.people.per)
    return f"{_linked(each)}, but people are counted by {per}, so these tokens cannot count people"


def _hint(each: Linked) -> str:
    return f"hint: drop {as_identifier(each.risk.column)}, or {LINKABLE}"
