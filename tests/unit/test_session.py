"""What a session remembers."""

from __future__ import annotations

from fractions import Fraction

from kanon_sql.engines.duckdb.connect.failures import RequestedStatement, error_to_raise
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.errors import AuditError, InfeasibleError, PolicyError, SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.pipeline import empty_certificate
from kanon_sql.solvers.budget import Moment


def test_releases_are_numbered_and_only_told_once_audited() -> None:
    session = Session()
    solved = empty_certificate(Policy.of(quasi_identifiers=["a"])).passed(None, None)  # type: ignore[arg-type]
    first, second = session.record(solved, 1), session.record(solved, 2)
    assert (first, second) == (1, 2)
    assert session.releases == []
    session.passed(second, 4, 3)
    assert [(each.number, each.classes, each.smallest_class) for each in session.releases] == [(2, 4, 3)]
    session.passed(first, 1, 9)
    assert [each.number for each in session.releases] == [1, 2]


def test_the_error_itself_comes_back_from_its_text_once() -> None:
    session = Session()
    error = InfeasibleError("too few rows")
    session.failures.add(error)
    text = "Invalid Input Error: Python exception occurred: InfeasibleError: too few rows\nLINE 1"
    assert session.failures.cause_of(text) is error
    assert session.failures.cause_of(text) is None


def test_failures_at_the_same_time_are_kept_apart() -> None:
    session = Session()
    errors = [InfeasibleError("too few rows"), PolicyError("k is wrong")]
    for error in errors:
        session.failures.add(error)
    for error in errors:
        assert session.failures.cause_of(f"Invalid Input Error: {error}\nLINE 1") is error
    for number in range(1000):
        session.failures.add(PolicyError(f"error {number}."))
    assert session.failures.cause_of("error 0.") is None


def test_another_message_is_not_taken_for_it() -> None:
    session = Session()
    session.failures.add(PolicyError("k must be something"))
    assert session.failures.cause_of("Parser Error: syntax error") is None


def test_a_failed_audit_is_told_by_its_text() -> None:
    found = Session().failures.cause_of("Invalid Input Error: kanon audit: 3 classes have fewer than 2 rows\nLINE 7: ...")
    assert isinstance(found, AuditError)
    assert str(found) == "3 classes have fewer than 2 rows"


def test_the_repr_tells_no_more_than_a_number() -> None:
    session = Session()
    session.record(empty_certificate(Policy.of(quasi_identifiers=["secret"])), 1)
    assert repr(session) == "<kanon session, 1 release>"


def test_only_a_search_with_a_release_can_be_ended() -> None:
    session = Session()
    session.search.ready()
    session.search.report(Moment(step="first", done=0.0))
    assert (session.search.finish(), session.search.ended()) == (False, False)
    session.search.report(Moment(step="second", done=0.5, cost=Fraction(7)))
    assert (session.search.finish(), session.search.ended()) == (True, True)
    session.search.rest()
    assert not session.search.finish()


def test_ctrl_c_while_rows_are_handed_over_is_an_interrupt() -> None:
    released = RequestedStatement(released=True)
    assert isinstance(error_to_raise(RuntimeError("Query interrupted"), released, Session()), KeyboardInterrupt)
    assert isinstance(error_to_raise(RuntimeError("anything else"), released, Session()), SourceError)
