"""In which order the tables of a database are released: a table of people before the facts about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kanon_sql.engines.duckdb.names import name_parts
from kanon_sql.errors import PolicyError
from kanon_sql.model.person import DECLARED, Person
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.unit import Unit
from kanon_sql.model.unit_of_policy import unit_of, unit_of_histories
from kanon_sql.model.validation import as_identifier, same_name

CERTIFICATES, COLUMNS = "kanon_certificates", "kanon_columns"
"""The tables of a released database that are about its releases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRelease:
    """One release of a database."""

    name: str  # its name in the released database
    policy: StoredPolicy  # the policy as it was written
    person: Person | None = None  # Who its rows are about. The columns of the person are added to its own.
    people: str = ""  # the name of the release of the table of people, if there is a person
    key: str | None = None  # in a table of people: the column that the facts about them name


def planned_releases(policies: Sequence[StoredPolicy]) -> list[PlannedRelease]:
    """Return the releases of a database: tables of people first, then by their names.

    Raises
    ------
    PolicyError
        When two releases have one name, or a table of people is missing, ambiguous, or itself about other people.
    """
    if not policies:
        hint = "run CREATE ANONYMIZATION POLICY in the source, or pass a policy file"
        raise PolicyError(f"there is no policy; hint: {hint}").command(
            "pass --policies policies.yaml, or run kanon policy import"
        )
    names = _names(policies)
    persons = {each.name: person for each in policies if (person := _person(each, policies)) is not None}
    homes, keys = dict[str, str](), dict[str, str]()
    for each in policies:
        if isinstance(each.person, Person) and each.name not in persons:
            keys[each.name] = each.person.column
            if each.known_rows is not None:
                raise PolicyError(
                    f"{each} links the rows of each person, but in a table of people each person has one row; hint: write "
                    "GUARANTEE k >= 5"
                )
        if each.name in persons:
            home, column = _home(each, persons, policies), persons[each.name].column
            homes[each.name] = names[home.name]
            if same_name(keys.setdefault(home.name, column)) != same_name(column):
                raise PolicyError(
                    f"{each} identifies people by {as_identifier(column)}, but another policy identifies them by "
                    f"{as_identifier(keys[home.name])}; hint: use one key for the table {home.table}"
                )
    for each in policies:
        person = persons.get(each.name)
        _check_groups(each, keys.get(each.name) if person is None else person.column)
    planned = [
        PlannedRelease(
            name=names[each.name],
            policy=each,
            person=persons.get(each.name),
            people=homes.get(each.name, ""),
            key=keys.get(each.name),
        )
        for each in policies
    ]
    return sorted(planned, key=lambda each: (each.key is None, same_name(each.name)))


def _names(policies: Sequence[StoredPolicy]) -> dict[str, str]:
    """Return the name of each release, by the name of its policy."""
    found: dict[str, str] = {}
    taken: dict[str, StoredPolicy] = {}
    for each in policies:
        name = each.release or (each.name if each.query is not None else name_parts(each.table)[-1])
        if same_name(name).startswith("kanon_"):
            raise PolicyError(f'{each} cannot release "{name}": this name is reserved; hint: choose a different release name')
        other = taken.setdefault(same_name(name), each)
        if other is not each:
            raise PolicyError(
                f'{each} and {other} both release "{name}"; hint: choose a different release name for one of them'
            )
        found[each.name] = name
    return found


def _is_table(policy: StoredPolicy, table: str) -> bool:
    """Return whether a policy releases a table of this name; ``main`` is the schema of a name without one."""
    if policy.query is not None:
        return False
    one, other = (["main", *map(same_name, name_parts(each))][-2:] for each in (policy.table, table))
    return one == other


def _person(policy: StoredPolicy, policies: Sequence[StoredPolicy]) -> Person | None:
    """Return who the rows of a policy are about; in the table of people itself, nobody else."""
    if isinstance(policy.person, Person):
        return None if _is_table(policy, policy.person.table) else policy.person
    if policy.person is not DECLARED:
        return None
    declared = {each.person.describe(): each.person for each in policies if isinstance(each.person, Person)}
    if len(declared) != 1:
        wrong = "no policy declares PERSON" if not declared else "several policies declare it differently"
        raise PolicyError(f"{policy} has OF PERSON, but {wrong}; hint: write PERSON patient FROM patients BY zip, born")
    return next(iter(declared.values()))


def _home(policy: StoredPolicy, persons: Mapping[str, Person], policies: Sequence[StoredPolicy]) -> StoredPolicy:
    """Return the policy of the table of people that a policy of facts needs."""
    person = persons[policy.name]
    found = [each for each in policies if _is_table(each, person.table)]
    if len(found) != 1:
        wrong = "no policy releases" if not found else "several policies release"
        raise PolicyError(f"{policy} uses the person from {person.table}, which {wrong}; hint: write one policy for this table")
    if found[0].name in persons:
        raise PolicyError(
            f"{policy} uses the person from {person.table}, but the policy of {person.table} uses the person from "
            f"{persons[found[0].name].table}; hint: in that policy, declare PERSON ... FROM {person.table}"
        )
    people = policy.policy.people
    if people is None or same_name(people.per) != same_name(person.column):
        column = as_identifier(person.column)
        raise PolicyError(
            f"{policy} declares the person {column}, but does not count people by it; hint: write GUARANTEE k >= 5 PER {column}"
        )
    return found[0]


def _check_groups(policy: StoredPolicy, key: str | None) -> None:
    for each in policy.groups:
        if key is None or same_name(each) != same_name(key):
            raise PolicyError(
                f"{policy} uses AS GROUP for {as_identifier(each)}, which is not the key of a table of people; hint: declare "
                f"PERSON {as_identifier(each)} FROM patients"
            )


def risks_of(plan: Sequence[PlannedRelease]) -> Iterator[str]:
    """Yield what several tables could reveal together, as far as the policies say it."""
    apart = [each.name for each in plan if each.person is None and each.key is None]
    if len(plan) > 1 and apart:
        yield f"these tables have no person, so their columns are not compared with those of other tables: {', '.join(apart)}"
    tokens = [each.name for each in plan if each.policy.pseudonyms]
    if tokens:
        yield f"the release counts what rows linked by tokens reveal together: {', '.join(tokens)}"


def roles_of(planned: PlannedRelease) -> Iterator[tuple[str, list[str]]]:
    """Yield the roles of a release with the columns that have them."""
    policy = planned.policy
    roles = {
        "dropped": policy.identifiers,
        "tokens": policy.pseudonyms if policy.known_rows is None else [policy.histories.per],
        "group": policy.groups,
        "BY": [qi.column for qi in policy.policy.quasi_identifiers],
        "sensitive": policy.policy.sensitive,
        "unchanged": policy.kept,
    }
    return ((role, list(columns)) for role, columns in roles.items() if columns)


def own_unit(policy: StoredPolicy) -> Unit:
    """Return what a policy counts in its own table, before columns of a person are added."""
    if policy.known_rows is not None:
        return unit_of_histories(policy.histories)
    roles = (*policy.policy.sensitive, *policy.kept, *policy.pseudonyms, *policy.groups)
    return replace(unit_of(policy.policy), roles=roles, kept=policy.kept)
