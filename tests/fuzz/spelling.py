"""One guarantee in every form that takes one: clause, JSON, arguments of functions, of Python and of the command."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fuzz.guarantee import Guarantee, Recoding, Requirement
from fuzz.table import quoted


def text(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def names(columns: tuple[str, ...] | list[str]) -> str:
    """Names as the clause lists them."""
    return ", ".join(map(quoted, columns))


def recoding(each: Recoding) -> str:
    """A recoding as it stands behind IN."""
    steps = (
        f" ({', '.join(str(step) if not isinstance(step, Fraction) else decimal(step) for step in each.steps)})"
        if each.steps
        else ""
    )
    ends = (f" TOP {decimal(each.top)}" if each.top is not None else "") + (
        f" BOTTOM {decimal(each.bottom)}" if each.bottom is not None else ""
    )
    only = " ONLY" if each.only else ""
    loss = f" LOSS ({', '.join(map(decimal, each.loss))})" if each.loss else ""
    match each.kind:
        case "digits":
            return f"DIGITS{steps}{loss}"
        case "intervals" | "periods":
            return f"INTERVALS{only}{steps}{ends}{loss}"
        case "cuts":
            return f"CUTS{only}{steps}{ends}{loss}"
        case "coded":
            return f"{ends.strip()}{loss}"
        case "hierarchy":
            return f"HIERARCHY {quoted(each.table)}{steps}{loss}"
        case "chosen":
            return "INTERVALS"
        case "rectangles":
            return f"RECTANGLES WITH {quoted(each.beside)}"
    return each.kind.upper()


def decimal(number: Fraction) -> str:
    """A number as the clause takes it: a decimal, or a quotient."""
    places = next((places for places in range(8) if 10**places % number.denominator == 0), None)
    if places is None:
        return f"{number.numerator}/{number.denominator}"
    whole = str(abs(number.numerator) * 10**places // number.denominator).zfill(places + 1)
    sign = "-" if number < 0 else ""
    return sign + (f"{whole[:-places]}.{whole[-places:]}" if places else whole)


_FORMS = {"l": "variant", "t": "metric"}
"""What the form of a requirement is called."""


def requirement(each: Requirement) -> str:
    """A requirement as it stands behind GUARANTEE."""
    match each.kind:
        case "l":
            more = (
                "" if each.form == "frequency" else f", '{each.form}'" + (f", {decimal(each.c)}" if each.c is not None else "")
            )
            return f"l({quoted(each.column)}{more}) >= {decimal(each.number)}"
        case "t":
            return f"t({quoted(each.column)}, '{each.form}') <= {decimal(each.number)}"
        case "beta" | "delta":
            return f"{each.kind}({quoted(each.column)}) <= {decimal(each.number)}"
    return f"alpha({quoted(each.column)}, {text(each.value)}) <= {decimal(each.number)}"


def items(guarantee: Guarantee) -> str:
    """What stands behind BY."""
    rectangles = {name: each.beside for name, each in guarantee.recodings.items() if each.kind == "rectangles"}
    done: set[str] = set()
    found = {}
    for name in guarantee.qi:
        if name in done:
            continue
        weight = f" WEIGHT {decimal(guarantee.weights[name])}" if name in guarantee.weights else ""
        own = guarantee.recodings.get(name)
        if name in rectangles:
            done |= {name, rectangles[name]}
            found[name] = f"({quoted(name)}, {quoted(rectangles[name])}) IN RECTANGLES{weight}"
        else:
            word = "" if own is None or own.kind == "coded" else " IN"
            found[name] = quoted(name) + (f"{word} {recoding(own)}" if own else "") + weight
    linked = "".join(f" LINKED ({names(group)})" for group in guarantee.linked)
    linked = (f" KEEP {names(guarantee.kept)}" if guarantee.kept else "") + linked
    if guarantee.masks is None:
        return ", ".join(found.values()) + linked
    sets = [f"({', '.join(found[name] for name in mask)})" for mask in guarantee.masks]
    return f"GROUPING SETS ({', '.join(sets)}){linked}"


def clause_can(guarantee: Guarantee) -> bool:
    """Whether the clause can say it: sets name every quasi-identifier, and rectangles stand in no set and have one weight."""
    weights = guarantee.weights
    numbers = [*weights.values(), guarantee.max_suppressed or Fraction(0)]  # decimals there
    if guarantee.every_column or any("/" in decimal(number) for number in numbers):
        return False
    if any(weights.get(name) != weights.get(each.beside) for name, each in guarantee.recodings.items() if each.beside):
        return False
    if guarantee.masks is None:
        return True
    shown = {name for mask in guarantee.masks for name in mask}
    return shown == {*guarantee.qi} and not any(each.kind == "rectangles" for each in guarantee.recodings.values())


def guarantee_text(guarantee: Guarantee) -> str:
    """What stands behind GUARANTEE."""
    k = f"k >= {guarantee.k}" + (f" PER {quoted(guarantee.per)}" if guarantee.per else "")
    return " AND ".join([k, *map(requirement, guarantee.requirements)])


def using(guarantee: Guarantee) -> str:
    """The algorithm and its options."""
    options = {"seed": guarantee.seed or None, "time_limit": guarantee.time_limit}
    told = {name: str(value) for name, value in options.items() if value is not None}
    if guarantee.max_suppressed is not None:
        told["max_suppressed"] = decimal(guarantee.max_suppressed)
    if guarantee.suppress is not None:
        told["suppress"] = text(guarantee.suppress)
    if guarantee.unlisted_limit is not None:
        told["unlisted_limit"] = decimal(guarantee.unlisted_limit)
    inner = f" ({', '.join(f'{name} = {value}' for name, value in told.items())})" if told else ""
    return f" USING {guarantee.algorithm}{inner}" if inner or guarantee.algorithm != "auto" else ""


def clause(guarantee: Guarantee) -> str:
    """The clause, from ANONYMIZE to its options."""
    return f"ANONYMIZE BY {items(guarantee)} GUARANTEE {guarantee_text(guarantee)}{using(guarantee)}"


def policy_parts(guarantee: Guarantee, others: list[str], pseudonym: str | None = None) -> str:
    """The parts of a stored policy; ``others`` are the columns without a role, ``pseudonym`` is one that becomes tokens."""
    parts = [f"BY {items(replace(guarantee, kept=None))}", f"GUARANTEE {guarantee_text(guarantee)}"]
    dropped = [*guarantee.dropped, *([guarantee.per] if guarantee.per else [])]
    kept = [name for name in others if name not in dropped and name != pseudonym]
    identifiers = [*map(quoted, dropped), *([f"{quoted(pseudonym)} AS PSEUDONYM (LINKABLE)"] if pseudonym else [])]
    parts += [f"IDENTIFIER {', '.join(identifiers)}"] if identifiers else []
    parts += [f"KEEP {names(kept)}"] if kept else []
    parts += [using(guarantee).strip()] if using(guarantee) else []
    return "; ".join(parts)


def as_json(guarantee: Guarantee) -> str:
    """The policy as JSON."""
    requirements: list[dict[str, Any]] = [{"type": "k", "k": guarantee.k}]
    if guarantee.per:
        requirements.append({"type": "people", "k": guarantee.k, "per": guarantee.per})
    for each in guarantee.requirements:
        found: dict[str, Any] = {"type": each.kind, "sensitive": each.column}
        found[each.kind] = str(each.number)
        match each.kind:
            case "l":
                found |= {"variant": each.form} | ({} if each.c is None else {"c": str(each.c)})
            case "t":
                found["metric"] = each.form
            case "alpha":
                found["value"] = each.value
        requirements.append(found)
    listed = [
        {"column": name}
        | ({"weight": str(guarantee.weights[name])} if name in guarantee.weights else {})
        | ({"recoding": _recoding_json(guarantee.recodings[name])} if name in guarantee.recodings else {})
        for name in guarantee.qi
        if not guarantee.every_column or name in guarantee.weights or name in guarantee.recodings
    ]
    data = {
        "quasi_identifiers": listed,
        "every_column": guarantee.every_column,
        "requirements": requirements,
        "masks": None if guarantee.masks is None else [list(mask) for mask in guarantee.masks],
        "linked": [list(group) for group in guarantee.linked],
        "keep": None if guarantee.kept is None else list(guarantee.kept),
        "algorithm": guarantee.algorithm,
        "time_limit": guarantee.time_limit,
        "seed": guarantee.seed,
        "max_suppressed": None if guarantee.max_suppressed is None else str(guarantee.max_suppressed),
        "suppress": guarantee.suppress,
    }
    if guarantee.unlisted_limit is not None:
        data["unlisted_limit"] = str(guarantee.unlisted_limit)
    return json.dumps(data)


def _recoding_json(each: Recoding) -> dict[str, Any]:
    loss: dict[str, Any] = {"loss": [str(number) for number in each.loss]} if each.loss else {}
    loss |= {"only": True} if each.only else {}
    steps = [step if isinstance(step, int | str) else str(step) for step in each.steps]
    ends = {name: str(end) for name, end in (("top", each.top), ("bottom", each.bottom)) if end is not None}
    match each.kind:
        case "digits":
            return {"type": "digits", "shown": steps} | loss
        case "intervals" | "periods":
            return {"type": "intervals", "steps": steps} | ends | loss
        case "cuts":
            return {"type": "cuts", "at": steps} | ends | loss
        case "coded":
            return {"type": "coded"} | ends | loss
        case "hierarchy":
            return {"type": "hierarchy", "table": quoted(each.table)} | ({"levels": steps} if steps else {}) | loss
        case "chosen":
            return {"type": "intervals"}
        case "rectangles":
            return {"type": "rectangles", "beside": each.beside}
    return {"type": each.kind}


def function_call(guarantee: Guarantee, table: str) -> str | None:
    """The call of a table function of its own; None where only `anonymize` can say it."""
    if len(guarantee.requirements) > 1 or any(each.kind == "alpha" for each in guarantee.requirements):
        return None
    lists = {
        "masks": guarantee.masks,
        "linked": guarantee.linked or None,
        "qi": None if guarantee.every_column else guarantee.qi,
    }
    named = {"qi": _sql_list(guarantee.qi)} if lists["qi"] else {}
    if guarantee.per:
        named["per"] = text(guarantee.per)
    if guarantee.kept is not None:
        named["keep"] = _sql_list(guarantee.kept)
    if guarantee.linked:
        named["linked"] = f"[{', '.join(map(_sql_list, guarantee.linked))}]"
    if guarantee.weights:
        named["weights"] = (
            f"MAP {{{', '.join(f'{text(name)}: {text(str(weight))}' for name, weight in guarantee.weights.items())}}}"
        )
    if guarantee.recodings:
        told = ", ".join(f"{text(name)}: {text(recoding(each))}" for name, each in guarantee.recodings.items())
        named["recodings"] = f"MAP {{{told}}}"
    named |= {"algorithm": text(guarantee.algorithm)} if guarantee.algorithm != "auto" else {}
    named |= {"seed": str(guarantee.seed)} if guarantee.seed else {}
    named |= {"time_limit": str(guarantee.time_limit)} if guarantee.time_limit else {}
    named |= {"suppress": text(guarantee.suppress)} if guarantee.suppress is not None else {}
    named |= {"max_suppressed": text(str(guarantee.max_suppressed))} if guarantee.max_suppressed is not None else {}
    named |= {"unlisted_limit": text(str(guarantee.unlisted_limit))} if guarantee.unlisted_limit is not None else {}
    masks = None if guarantee.masks is None else f"[{', '.join(map(_sql_list, guarantee.masks))}]::VARCHAR[][]"
    if guarantee.requirements:
        (each,) = guarantee.requirements
        head = [text(each.column), text(str(each.number))]
        named["k"] = str(guarantee.k)
        named |= {_FORMS[each.kind]: text(each.form)} if each.kind in _FORMS else {}
        named |= {"c": text(str(each.c))} if each.c is not None else {}
        function = {"l": "l_diversify", "t": "t_close", "beta": "beta_like", "delta": "delta_private"}[each.kind]
    elif masks is not None:
        function, head = "pattern_guided", [masks]
        named["k"] = str(guarantee.k)
        masks = None
    else:
        function, head = "k_anonymize", [str(guarantee.k)]
    named |= {"masks": masks} if masks is not None else {}
    return f"{function}({', '.join([text(table), *head, *(f'{name} := {value}' for name, value in named.items())])})"


def _sql_list(values: tuple[str, ...]) -> str:
    return f"[{', '.join(map(text, values))}]::VARCHAR[]" if not values else f"[{', '.join(map(text, values))}]"


def arguments(guarantee: Guarantee) -> dict[str, Any]:
    """The arguments of `kanon_sql.anonymize`; requirements beyond what names can say are not among them."""
    found: dict[str, Any] = {
        "k": guarantee.k,
        "quasi_identifiers": None if guarantee.every_column else list(guarantee.qi),
        "masks": None if guarantee.masks is None else [list(mask) for mask in guarantee.masks],
        "linked": [list(group) for group in guarantee.linked] or None,
        "keep": None if guarantee.kept is None else list(guarantee.kept),
        "weights": guarantee.weights or None,
        "recodings": {name: recoding(each) for name, each in guarantee.recodings.items()} or None,
        "per": guarantee.per,
        "algorithm": guarantee.algorithm,
        "seed": guarantee.seed,
        "time_limit": guarantee.time_limit,
        "suppress": guarantee.suppress,
        "max_suppressed": guarantee.max_suppressed,
        "unlisted_limit": guarantee.unlisted_limit,
    }
    return {name: value for name, value in found.items() if value is not None or name == "quasi_identifiers"}


def names_say_it(guarantee: Guarantee) -> bool:
    """Whether one sensitive column with an l and a t at most says all: what Python's names and the command's options can."""
    kinds = [each.kind for each in guarantee.requirements]
    return len(guarantee.sensitive) <= 1 and "alpha" not in kinds and len({*kinds}) == len(kinds)


def about_sensitive(guarantee: Guarantee) -> dict[str, Any]:
    """The sensitive column with its l and its t, by the names of Python's arguments."""
    found: dict[str, Any] = {}
    for each in guarantee.requirements:
        found["sensitive"] = each.column
        found[each.kind] = each.number
        found |= {_FORMS[each.kind]: each.form} if each.kind in _FORMS else {}
        if each.c is not None:
            found["c"] = each.c
    return found


def options(guarantee: Guarantee) -> list[str]:
    """The options of ``kanon anonymize``."""
    found: list[str] = ["--k", str(guarantee.k), "--algorithm", guarantee.algorithm, "--seed", str(guarantee.seed)]
    if not guarantee.every_column:
        for name in guarantee.qi:
            found += ["--qi", name]
    for mask in guarantee.masks or ():
        found += ["--mask", ",".join(f'"{name}"' if "," in name else name for name in mask)]
    for group in guarantee.linked:
        found += ["--linked", ",".join(group)]
    if guarantee.kept is not None:
        found += ["--keep", ",".join(guarantee.kept)]
    for name, weight in guarantee.weights.items():
        found += ["--weight", f"{name}={weight}"]
    for name, each in guarantee.recodings.items():
        found += ["--recode", f"{name}={recoding(each)}"]
    for option, value in (
        ("--per", guarantee.per),
        ("--time-limit", guarantee.time_limit),
        ("--max-suppressed", guarantee.max_suppressed),
        ("--suppress", guarantee.suppress),
        ("--unlisted-limit", None if guarantee.unlisted_limit is None else float(guarantee.unlisted_limit)),
    ):
        found += [] if value is None else [option, str(value)]
    for name, told in about_sensitive(guarantee).items():
        found += [f"--{name}", str(told)]
    return found


def command_can(guarantee: Guarantee) -> bool:
    """Whether the options of the command can say it: names in lists hold no comma, quote or equals sign."""
    listed = [
        name
        for names_of in (guarantee.masks or (), guarantee.linked, [guarantee.kept or ()])
        for each in names_of
        for name in each
    ]
    odd = [name for name in (*listed, *guarantee.qi) if set(name) & set(',"=') or name != name.strip()]
    return names_say_it(guarantee) and not odd
