"""The terms of a release that grows, the same for every batch: policy, columns, and what tells rows and people apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.policies.allowed_files import AllowedFiles, there
from kanon_sql.engines.duckdb.policies.stored_policies import Ask, shown_by, stored_policies
from kanon_sql.engines.guarantees import audited
from kanon_sql.engines.written import read_options
from kanon_sql.errors import PolicyError, SourceError, UnknownColumnError
from kanon_sql.model.dropped_columns import dropped_columns, remaining
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import OWN
from kanon_sql.model.policy_names import of_name
from kanon_sql.model.policy_options import POLICY_DEFAULTS, PolicyOptions, completed
from kanon_sql.model.recodings import Generalization
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import named, refuse_twice, same_name

_SEARCH = ("algorithm", "time_limit", "seed", "max_suppressed")
"""How a release is looked for: it may differ from batch to batch."""

_DECIDED = ("linkable",)
"""What is decided for each batch alone."""

_TOKEN = "system.main.kanon_ledger_token({}, {})"  # noqa: S105 - no password


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What every batch of a release has in common."""

    policy: Policy  # the guarantee, with its columns spelled as in the source
    shown: tuple[tuple[str, str], ...]  # the columns that the release statement reads, each with its SQL
    keys: tuple[str, ...]  # the columns that tell rows apart
    people: tuple[str, ...]  # the columns that tell people apart: that of PER, and those of pseudonyms
    kinds: Mapping[str, str]  # the types of the columns that are read

    @property
    def parts(self) -> dict[str, Any]:
        """Return what may not change between batches, by what it is called in an error."""
        guarantee: dict[str, Any] = json.loads(self.policy.to_json())
        own = {name: value for name, value in guarantee.items() if name not in (*_SEARCH, *_DECIDED)}
        return {
            **own,
            "requirements": _sorted_requirements(guarantee["requirements"]),
            "key": list(self.keys),
            "key types": [self.kinds[name] for name in self.keys],
            "people": list(self.people),
            "columns": [[name, sql, self.kinds[name]] for name, sql in self.shown],
        }

    def to_json(self) -> str:
        """Return `parts` as text."""
        return json.dumps(self.parts, sort_keys=True, ensure_ascii=False)

    def changed(self, text: str) -> list[str]:
        """Return the names of the parts that are others in the terms of an earlier batch."""
        earlier = {**json.loads(Policy(every_column=True).to_json()), **json.loads(text)}  # of an older version, say
        earlier["requirements"] = _sorted_requirements(earlier["requirements"])
        return [name for name, value in self.parts.items() if earlier.get(name, value) != value]

    @property
    def read(self) -> str:
        """Return the columns of the source as they are read, with the tokens of each row in front."""
        missing = " OR ".join(f"{quoted(name)} IS NULL" for name in self.keys)
        columns = dict.fromkeys([*self.keys, *self.people, *(name for name, _ in self.shown)])
        key, row = self._texts(self.keys), self._texts([*columns])
        people = [f"CASE WHEN {quoted(name)} IS NOT NULL THEN {self._texts([name], name)} END" for name in self.people]
        tokens = [_TOKEN.format("'people'", text) for text in people]
        return ", ".join(
            [
                f"""{_TOKEN.format("'keys'", f"CASE WHEN NOT ({missing}) THEN {key} END")} AS "kanon#key\"""",
                f"""{_TOKEN.format("'rows'", row)} AS "kanon#row\"""",
                f"""CAST(system.main.list_value({", ".join(tokens)}) AS VARCHAR[]) AS "kanon#people\"""",
                *map(quoted, columns),
            ]
        )

    def _texts(self, names: Sequence[str], *words: str) -> str:
        """Return the SQL of the values of a row as one text that tells them apart."""
        values = ", ".join([*map(literal, words), *(text_of(quoted(name), self.kinds[name]) for name in names)])
        return f"CAST(system.main.to_json(system.main.list_value({values})) AS VARCHAR)"


def _sorted_requirements(requirements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return requirements as they may not change: that each row is a person may be said for a later batch."""
    said = [{name: value for name, value in each.items() if name != "per_row"} for each in requirements]
    return [each for each in said if each != {"type": "k", "k": 1}]


def text_of(column: str, kind: str) -> str:
    """Return the SQL of a value as text; no setting of the connection may show in it."""
    if "TIME ZONE" in kind or "TIMESTAMPTZ" in kind:
        column = f"system.main.create_sort_key(system.main.row({column}), 'ASC NULLS LAST')"
    return f"CAST({column} AS VARCHAR)"


def terms_of(
    ask: Ask,
    columns: Mapping[str, str],
    key: str | Sequence[str],
    policy: Policy | StoredPolicy | str | None,
    options: PolicyOptions[str | Generalization],
    *,
    surface: Surface,
    drop: Sequence[str] | None = None,
    allowed_files: AllowedFiles | None = None,
) -> Terms:
    """Return the terms of a batch.

    Parameters
    ----------
    columns : mapping
        The columns of the source with their types.
    key : str or sequence of str
        The columns that tell rows apart.
    policy : Policy, StoredPolicy or str, optional
        The policy, one of a file, or the name of a stored one.
    options : PolicyOptions
        The policy by its parts, where there is no ``policy``.
    drop : sequence of str, optional
        Columns of the source that are not released.
    allowed_files : AllowedFiles, optional
        The files that a stored policy may read; by default none.

    Raises
    ------
    PolicyError
        When there are two policies, one that a release cannot grow under, or a column is not there.
    """
    completed("append", options, POLICY_DEFAULTS)
    keys = _keys(key, columns)
    if any(same_name(name).startswith(OWN) for name in columns):
        raise SourceError(f'a column name cannot begin with "{OWN}"; hint: rename the column')
    if policy is None:
        return _of_policy(Policy.of(**read_options(options)), columns, keys, drop, surface)
    if options:
        raise PolicyError(f"policy cannot be combined with {', '.join(options)}; hint: omit policy or these options")
    if isinstance(policy, Policy):
        return _of_policy(policy, columns, keys, drop, surface)
    if drop is not None:
        raise PolicyError("policy and drop cannot be combined; hint: list the columns as IDENTIFIER in the policy")
    database = str(ask("SELECT system.main.current_database()")[0][0])
    if isinstance(policy, StoredPolicy):
        stored = policy
    else:
        stored = of_name(named(policy, "policy"), stored_policies(ask, database) or ())
    names = _with_roles(columns, keys, stored.columns)
    released = stored.released(names)
    shown = shown_by(stored)
    guaranteed = stored.policy_for(names).resolve(released)
    tables = (allowed_files or AllowedFiles()).tables_of(guaranteed, stored)
    for item in there(tables, database, stored):
        ask(f"FROM {item}")
    return _terms(guaranteed, columns, keys, [(name, shown(name)) for name in released])


def _of_policy(
    policy: Policy, columns: Mapping[str, str], keys: tuple[str, ...], drop: Sequence[str] | None, surface: Surface
) -> Terms:
    left = remaining(columns, dropped_columns(drop, policy, list(columns)))
    names = _with_roles(left, keys, [name for _, name in policy.named_columns])
    return _terms(policy.resolve(names, surface), columns, keys, [(name, quoted(name)) for name in names])


def _terms(policy: Policy, columns: Mapping[str, str], keys: tuple[str, ...], shown: Sequence[tuple[str, str]]) -> Terms:
    if policy.row_order == "source":
        raise PolicyError(
            "a growing release cannot keep the row order of the source, which would reveal whose rows they are; hint: omit "
            "row_order"
        )
    for requirement in policy.requirements:
        audited(requirement).refuse_growth()
    people = dict.fromkeys([*([] if policy.people is None else [policy.people.per]), *policy.pseudonyms])
    return Terms(policy=policy, shown=tuple(shown), keys=keys, people=tuple(people), kinds=columns)


def _keys(key: str | Sequence[str], columns: Mapping[str, str]) -> tuple[str, ...]:
    if not isinstance(key, Iterable):
        raise PolicyError(f"the key must be a column or a list of columns, got {type(key).__name__}; hint: pass key='visit_id'")
    given = [key] if isinstance(key, str) else list(key)
    if not given:
        raise PolicyError("the key has no columns; hint: pass key='visit_id'")
    spelled = {same_name(name): name for name in columns}
    for name in given:
        if same_name(named(name, "the key")) not in spelled:
            raise UnknownColumnError.of(name, columns, "the key")
    refuse_twice(given, "the columns of the key")
    return tuple(spelled[same_name(name)] for name in given)


def _with_roles(columns: Iterable[str], keys: Sequence[str], roles: Sequence[str]) -> list[str]:
    """Return the columns without those of the key that the policy gives no role: they are not released."""
    known = set(map(same_name, roles))
    return [name for name in columns if name not in keys or same_name(name) in known]
