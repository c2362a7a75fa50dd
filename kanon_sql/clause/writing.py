"""A policy as the clause that reads back as the same policy."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from kanon_sql.errors import PolicyError
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.grouping_algorithms import AUTO
from kanon_sql.model.guarantees.k_map import spelled_table
from kanon_sql.model.masks import AtLevels, Mask
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Bins, Digits, Generalization, Intervals, Levels, Rectangles, Regions
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import as_identifier, as_text, fraction, same_name

_PLACES = 12
"""Decimal places that a number may need: the clause has no fractions in lists."""

_DEFAULTS = Policy(every_column=True)


def clause_of(policy: Policy) -> str:
    """Return the clause that says what a policy says, one part a line.

    Parameters
    ----------
    policy : Policy
        It names its quasi-identifiers.

    Raises
    ------
    PolicyError
        When the clause cannot say it: every column, tokens, a quasi-identifier that no mask shows, or a number that is not a
        decimal.

    Examples
    --------
    >>> print(clause_of(Policy.of(k=5, quasi_identifiers=["zip", "age"], weights={"age": 3})))
    ANONYMIZE BY zip, age WEIGHT 3
    GUARANTEE k >= 5
    """
    if policy.pseudonyms:
        raise PolicyError("a clause cannot create tokens; hint: use a stored policy")
    lines = [f"ANONYMIZE BY {_items(policy)}"]
    if policy.keep is not None:
        if not policy.keep:
            raise PolicyError("KEEP cannot be empty in a clause; hint: use a stored policy")
        lines.append(f"KEEP {_names(policy.keep)}")
    return "\n".join([*lines, *_linked(policy), _guarantee(policy), *_using(policy)])


def definition_of(stored: StoredPolicy) -> str:
    """Return the statement that stores a policy for a table, one part a line.

    Raises
    ------
    PolicyError
        As `clause_of`, except for tokens; or when the policy has groups, a person, a query or a name for its release.

    Examples
    --------
    >>> policy = Policy.of(k=5, quasi_identifiers=["zip", "age"])
    >>> print(definition_of(StoredPolicy(name="research", table="patients", policy=policy, identifiers=("name",))))
    CREATE ANONYMIZATION POLICY research ON patients (
        IDENTIFIER name;
        BY zip, age;
        GUARANTEE k >= 5
    )
    """
    said = {"groups": stored.groups, "a person": stored.person, "a query": stored.query}
    for what, value in (said | {"the name of the release": stored.release}).items():
        if value:
            raise PolicyError(f"the statement cannot contain {what}; hint: write a policy file")
    policy = stored.policy
    linkable = set(map(same_name, stored.linkable))
    identifiers = [as_identifier(name) for name in stored.identifiers]
    identifiers += [
        f"{as_identifier(name)} AS PSEUDONYM{' (LINKABLE)' * (same_name(name) in linkable)}" for name in stored.pseudonyms
    ]
    parts = [f"IDENTIFIER {', '.join(identifiers)}"] if identifiers else []
    parts.append(" ".join([f"BY {_items(policy)}", *_linked(policy)]))
    parts += [f"KEEP {_names(stored.kept)}"] if stored.kept else []
    parts += [f"GUARANTEE {stored.guarantee}", *_using(policy)]
    inner = ";\n    ".join(parts)
    return f"CREATE ANONYMIZATION POLICY {as_identifier(stored.name)} ON {stored.table} (\n    {inner}\n)"


def _linked(policy: Policy) -> list[str]:
    return [f"LINKED ({_names(group)})" for group in policy.linked]


def _guarantee(policy: Policy) -> str:
    people = policy.people_of_classes
    implied = None if people is None else KAnonymity(k=people.k)  # k people have k rows: reading adds it
    return f"GUARANTEE {' AND '.join(each.describe() for each in policy.requirements if each != implied)}"


def _using(policy: Policy) -> list[str]:
    options = list(_options(policy))
    return [f"USING {policy.algorithm}{_listed(options)}"] if options or policy.algorithm != _DEFAULTS.algorithm else []


def recoding_of(recoding: Generalization) -> str:
    """Return a recoding as the clause writes it after IN; that of RECTANGLES names the other coordinate.

    Raises
    ------
    PolicyError
        When it has a number that is not a decimal.

    Examples
    --------
    >>> recoding_of(Intervals(steps=(Fraction(5), Fraction(10)), loss=(Fraction(1, 10), Fraction(2, 5))))
    'INTERVALS (5, 10) LOSS (0.1, 0.4)'
    """
    match recoding:
        case Digits():
            return f"DIGITS{_listed(map(str, recoding.shown))}{_loss(recoding.loss)}"
        case Intervals(steps=()):
            return "INTERVALS" if recoding.objective == "max" else f"INTERVALS ({as_text(recoding.objective)})"
        case Intervals():
            steps = (each if isinstance(each, str) else _decimal(each) for each in recoding.steps)
            return f"INTERVALS{' ONLY' * recoding.only}{_listed(steps)}{_ends(recoding)}{_loss(recoding.loss)}"
        case Cuts():
            cuts = _listed(map(_decimal, recoding.at))
            return f"CUTS{' ONLY' * recoding.only}{cuts}{_ends(recoding)}{_loss(recoding.loss)}"
        case Coded():
            return f"{_ends(recoding).lstrip()}{_loss(recoding.loss)}"
        case Levels():
            return f"HIERARCHY {spelled_table(recoding.table)}{_listed(map(str, recoding.levels))}{_loss(recoding.loss)}"
        case Bins():
            return f"BINS{_algorithm(recoding.algorithm)}"
        case Rectangles():
            return f"RECTANGLES WITH {as_identifier(recoding.beside)}{_algorithm(recoding.algorithm)}"
        case Regions():
            merges = recoding.components == "merge"
            options = [each for each, said in ((recoding.algorithm, recoding.algorithm != AUTO), ("'merge'", merges)) if said]
            return f"REGIONS {spelled_table(recoding.edges)}{_listed(options)}"
    return type(recoding).__name__.upper()


def _items(policy: Policy) -> str:
    if policy.every_column:
        raise PolicyError("a clause cannot make every column a quasi-identifier; hint: use a stored policy")
    items = {each.column: each for each in policy.quasi_identifiers}
    if policy.masks is not None:
        return _sets(policy, items)
    found: dict[str, str] = {}
    for name, each in items.items():
        if not isinstance(each.recoding, Rectangles):
            found[name] = _item(each)
        elif each.recoding.beside not in found:
            pair = f"({as_identifier(name)}, {as_identifier(each.recoding.beside)})"
            found[name] = f"{pair} IN RECTANGLES{_algorithm(each.recoding.algorithm)}{_weight(each)}"
    return ", ".join(found.values())


def _sets(policy: Policy, items: dict[str, QuasiIdentifier]) -> str:
    """Return the masks; the first that names a column says its weight."""
    covered: set[str] = set()

    def shown(each: str | AtLevels) -> str:
        name = each.column if isinstance(each, AtLevels) else each
        weight = "" if name in covered else _weight(items[name])
        covered.add(name)
        recoding = each.recoding if isinstance(each, AtLevels) else items[name].recoding
        return f"{as_identifier(name)}{_in(recoding)}{weight}"

    def written(mask: Mask) -> str:
        return f"({', '.join(map(shown, mask))})"

    masks, costs = policy.masks or (), policy.mask_costs
    sets = [written(mask) + (f" COST {costs[place]}" if costs is not None else "") for place, mask in enumerate(masks)]
    missing = [name for name in items if name not in covered]
    if missing:
        raise PolicyError(f"a clause cannot contain columns that no mask shows: {_names(missing)}; hint: use a stored policy")
    return f"GROUPING SETS ({', '.join(sets)})"


def _item(each: QuasiIdentifier) -> str:
    return f"{as_identifier(each.column)}{_in(each.recoding)}{_weight(each)}"


def _in(recoding: Generalization | None) -> str:
    """Return what follows the name of a column."""
    if recoding is None:
        return ""
    return f"{'' if isinstance(recoding, Coded) else ' IN'} {recoding_of(recoding)}"


def _ends(recoding: Intervals | Cuts | Coded) -> str:
    top = "" if recoding.top is None else f" TOP {_decimal(recoding.top)}"
    return top if recoding.bottom is None else f"{top} BOTTOM {_decimal(recoding.bottom)}"


def _weight(each: QuasiIdentifier) -> str:
    return "" if each.weight == 1 else f" WEIGHT {each.weight}"


def _options(policy: Policy) -> Iterable[str]:
    if policy.time_limit is not None:
        yield f"time_limit = {_decimal(fraction(policy.time_limit, 'time_limit'))}"
    for name in ("effort", "row_order"):
        if getattr(policy, name) != getattr(_DEFAULTS, name):
            yield f"{name} = {as_text(getattr(policy, name))}"
    if policy.seed != _DEFAULTS.seed:
        yield f"seed = {policy.seed}"
    if policy.suppress is not None:
        yield f"suppress = {as_text(policy.suppress)}"
    if policy.max_suppressed is not None:
        yield f"max_suppressed = {_decimal(policy.max_suppressed)}"
    if policy.unlisted_limit != _DEFAULTS.unlisted_limit:
        yield f"unlisted_limit = {_decimal(policy.unlisted_limit)}"


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(as_identifier, names))


def _listed(parts: Iterable[str]) -> str:
    text = ", ".join(parts)
    return f" ({text})" if text else ""


def _loss(loss: tuple[Fraction, ...]) -> str:
    return f" LOSS{_listed(map(_decimal, loss))}" if loss else ""


def _algorithm(name: str) -> str:
    return "" if name == AUTO else f" ({name})"


def _decimal(number: Fraction) -> str:
    """Return a number without an exponent."""
    if 10**_PLACES % number.denominator:
        raise PolicyError(f"a clause cannot contain {number}, which is not a decimal number; hint: use a stored policy")
    text = f"{int(abs(number) * 10**_PLACES):0{_PLACES + 1}d}"
    return f"{'-' * (number < 0)}{text[:-_PLACES]}.{text[-_PLACES:]}".rstrip("0").rstrip(".")
