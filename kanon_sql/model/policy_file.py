"""Stored policies in a file: JSON, or YAML whose errors name the line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.errors import MissingPackageError, PolicyError, SourceError, raise_alone
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_names import Stored, stored_of
from kanon_sql.model.requirements import requirement_from_json
from kanon_sql.model.stored_policy import OF_DATABASE, ROLES
from kanon_sql.model.stored_protection import KEY
from kanon_sql.model.validation import known_keys, listed, missing_file, parsed, same_name

if TYPE_CHECKING:
    import yaml  # type: ignore[import-untyped]

_YAML = (".yaml", ".yml")

_FIRST = ("name", "table", "column", "type", "identifiers", "pseudonyms", "quasi_identifiers", "kept", "requirements")
"""The keys that a file shows first."""

_DEFAULTS = (
    ("algorithm", "auto"), ("every_column", False), ("metric", "equal"), ("objective", "max"), ("recoding", "suppress"),
    ("row_order", "shuffled"), ("seed", 0), ("unlisted_limit", "1/5"), ("variant", "frequency"), ("weight", 1),
)  # fmt: skip
"""What a file need not say."""

_NAMED = re.compile('^the policy ".*?"')
"""The policy that a message is about, which is not what is wrong."""

ENDINGS = (*_YAML, ".json")
"""What the name of a file of policies ends in."""


def kind_of(path: str, *others: str) -> str:
    """Return the ending of a file of policies.

    Raises
    ------
    SourceError
        When it is none of `ENDINGS`.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise SourceError(f"{path} is not a policy file; hint: use one of the extensions {', '.join((*others, *ENDINGS))}")
    return ending


def text_of(path: str | Path) -> str:
    """Return the text of a file of policies.

    Raises
    ------
    SourceError
        When it cannot be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise_alone(SourceError(missing_file(path, ENDINGS)))
    except OSError as error:
        raise_alone(SourceError(f"cannot read {path}: {error.strerror}"))
    except UnicodeError:
        raise_alone(SourceError(f"{path} is not UTF-8 text; hint: save it as UTF-8"))


def written(policies: Iterable[Stored], ending: str, comments: Iterable[str] = ()) -> str:
    """Return policies as the text of a file; YAML begins with comments, a line each, and JSON has none."""
    items = [_item(each) for each in policies]
    if ending not in _YAML:
        return json.dumps({"policies": items}, indent=2, ensure_ascii=False) + "\n"
    # U+0085 would be written as it is, as the end of a line, and be read as a space
    readable = "\x85" not in json.dumps(items, ensure_ascii=False)
    text: str = _yaml().safe_dump({"policies": items}, sort_keys=False, allow_unicode=readable, width=120)
    return "".join([*(f"# {each}\n" for each in comments), text])


def _item(policy: Stored) -> dict[str, Any]:
    """Return a policy as an object without what is the default; with all of it, if that would mean another policy."""
    whole = {"name": policy.name, **({"table": policy.table} if policy.table else {}), **json.loads(policy.to_json())}
    short: dict[str, Any] = _without_defaults(whole)
    return short if _policy(short) == policy else whole


def _without_defaults(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_defaults(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {name: each for name, each in value.items() if each not in (None, []) and (name, each) not in _DEFAULTS}
    first = [name for name in _FIRST if name in kept]
    return {name: _without_defaults(kept[name]) for name in (*first, *(name for name in kept if name not in first))}


def read(text: str, name: str) -> list[Stored]:
    """Read policies from the text of a file.

    Parameters
    ----------
    text : str
        An object with the key ``policies``, a list.
    name : str
        The name of the file; its ending says what it holds.

    Raises
    ------
    PolicyError
        When it cannot be read, with the line for YAML and for what is not even JSON.
    """
    if kind_of(name) in _YAML:
        return _of_yaml(text, name)
    try:
        found = [_policy(item) for item in _items(parsed(text, "the file"))]
    except PolicyError as error:
        raise_alone(PolicyError(f"{name}: {error}"))
    return _distinct(found, name)


def choose(text: str, read_text: Callable[[str], str] = text_of) -> tuple[str, list[Stored]]:
    """Return the name of a policy and the policies of its file, from ``FILE::NAME``; a file of one policy needs no name.

    Parameters
    ----------
    text : str
        The file and the name.
    read_text : callable
        Returns the text of a file.

    Raises
    ------
    SourceError
        When the file holds several policies, and none is named.
    PolicyError
        When the file cannot be read.
    """
    file, _, name = text.partition("::")
    kind_of(file)
    found = read(read_text(file), file)
    if not found and not name:
        raise SourceError(f"{file} contains no policies; hint: add one under the key policies")
    if not name and len(found) != 1:
        names = ", ".join(each.name for each in found)
        raise SourceError(
            f"{file} contains {len(found)} policies; hint: choose one, such as {file}::{found[0].name} (available: {names})"
        )
    return name or found[0].name, found


def _items(data: object) -> list[Any]:
    return listed(known_keys(data, {"policies"}, "a file of policies", ["policies"])["policies"], "policies")


def _policy(item: Any) -> Stored:
    known = {"name", "table", KEY, *ROLES, *OF_DATABASE, *Policy.__dataclass_fields__}
    data = dict(known_keys(item, known, "a policy", ["name"]))
    if "query" not in data:
        known_keys(data, known, "a policy", ["table"])
    return stored_of(data.pop("name"), data.pop("table", ""), json.dumps(data, default=_refused))


def _refused(value: object) -> Any:
    raise PolicyError(f"a policy cannot contain a {type(value).__name__}; hint: put the value in quotes")


def _distinct(policies: list[Stored], name: str) -> list[Stored]:
    seen: set[str] = set()
    for each in policies:
        if same_name(each.name) in seen:
            raise PolicyError(f'{name}: two policies have the name "{each.name}"; hint: keep one')
        seen.add(same_name(each.name))
    return policies


def _yaml() -> Any:
    try:
        import yaml
    except ModuleNotFoundError:
        raise_alone(MissingPackageError.of("YAML", "PyYAML", "yaml", ", or a file .json"))
    return yaml


def _of_yaml(text: str, name: str) -> list[Stored]:
    yaml = _yaml()
    from kanon_sql.model.policy_yaml import LONGEST, load

    if len(text) > LONGEST:
        raise PolicyError(
            f"{name} is too long for YAML: {len(text):,} characters (maximum {LONGEST:,}); hint: split it, or use JSON"
        )
    try:
        root, data = load(text)
        if root is None:
            raise PolicyError(f"{name} is empty; hint: add a list under the key policies")
        _refuse_keys_twice(root, name)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # Without the snippet of the file that the error itself would show.
        problem = error.problem or error.context
        hint = "" if "; hint: " in problem else "; hint: check brackets and indentation"
        raise_alone(PolicyError(f"{name}, line {mark.line + 1}: {problem}{hint}"))
    except yaml.YAMLError:
        raise_alone(PolicyError(f"{name} is not YAML; hint: save it as UTF-8 text"))
    try:
        items = _items(data)
    except PolicyError as error:
        raise_alone(PolicyError(f"{name}, line {_pointed(root, str(error))}: {error}"))
    found = []
    nodes = root.value[0][1].value
    for item, node in zip(items, nodes, strict=True):
        try:
            found.append(_policy(item))
        except PolicyError as error:
            raise_alone(PolicyError(f"{name}, line {_pointed(_blamed(item, node), str(error))}: {error}"))
    return _distinct(found, name)


def _refuse_keys_twice(node: yaml.Node, name: str) -> None:
    """Refuse a mapping with a key twice, of which YAML readers take the last."""
    if node.id == "mapping":
        seen: set[str] = set()
        for key, value in node.value:
            if str(key.value) in seen:
                raise PolicyError(f"{name}, line {key.start_mark.line + 1}: the key {key.value!r} occurs twice; hint: keep one")
            seen.add(str(key.value))
            _refuse_keys_twice(value, name)
    elif node.id == "sequence":
        for each in node.value:
            _refuse_keys_twice(each, name)


def _blamed(item: Any, node: yaml.Node) -> yaml.Node:
    """Return the part of a policy that is wrong by itself: one of its quasi-identifiers or requirements, if any."""
    if not isinstance(item, dict):
        return node
    for key, value in node.value:
        if value.id == "sequence" and key.value in ("quasi_identifiers", "requirements"):
            for part, place in zip(item[key.value], value.value, strict=True):
                try:
                    if key.value == "requirements":
                        requirement_from_json(part)
                    else:
                        Policy.from_json(json.dumps({"quasi_identifiers": [part]}, default=_refused))
                except PolicyError:
                    return place
    return node


def _pointed(node: yaml.Node, message: str) -> int:
    """Return the line, from 1, of the first word that the message quotes, or on which the node begins."""
    message = _NAMED.sub("", message).partition("; hint: ")[0]
    for each in _scalars(node):
        if repr(each.value) in message or f'"{each.value}"' in message:
            return int(each.start_mark.line) + 1
    return int(node.start_mark.line) + 1


def _scalars(node: yaml.Node) -> list[yaml.Node]:
    if node.id == "scalar":
        return [node]
    parts = node.value if node.id == "sequence" else [each for pair in node.value for each in pair]
    return [scalar for part in parts for scalar in _scalars(part)]
