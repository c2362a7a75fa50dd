"""Join the kernels of each room into one module, which Cython compiles: `setup.py` does it, and writes them to `build/kernels`.

An extension module costs a second of gcc before its first loop. So the files of a room, small ones for readers, become one
module with one file of declarations. A name that two files define gets that of its file in front of it. The module of a room
is next to its folder: inside, two threads that import the folder and the module first would wait for each other.

A file says each thing once. The rest of what Cython needs is derived here: imports, from those of Python and the classes in
signatures; public constants; the types of whole numbers. A local without a type that is assigned without the GIL is a whole
number of 64 bits. Cython refuses floats and objects in its place. It converts truth values and unsigned numbers, so these need
their types.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent

KERNELS = Path("kanon_sql/kernels")

IN_C = {"math": "libc.math"}
"""Modules of Python whose functions C has, too."""

_FUNCTION = re.compile(r"^cp?def (?:\([^)]*\) )?[^\n(]*?(\w+)\(", re.MULTILINE)

_CLASS = re.compile(r"^cdef class (\w+)", re.MULTILINE)

_CONSTANT = re.compile(r"[A-Z]\w* = \d{1,9}")


@dataclass(frozen=True)
class Kernel:
    """A file of a room: its loops, and their declarations in Cython."""

    path: Path

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.stem

    @property
    def module(self) -> str:
        """Its name where it is imported uncompiled."""
        return _dotted(self.path.with_suffix(""))

    @cached_property
    def source(self) -> str:
        """Its text."""
        return (ROOT / self.path).read_text(encoding="utf-8")

    @cached_property
    def declarations(self) -> str:
        """The text next to it, empty if there is none."""
        path = (ROOT / self.path).with_suffix(".pxd")
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax."""
        return ast.parse(self.source)

    @cached_property
    def names(self) -> list[str]:
        """What it defines."""
        found: list[str] = []
        for node in self.tree.body:
            found += [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else _assigned(node)
        return found

    @cached_property
    def imports(self) -> list[tuple[str, list[str]]]:
        """The modules that it imports from, and what; the classes in its signatures, too."""
        nodes = (node for node in self.tree.body if isinstance(node, ast.ImportFrom))
        found = [(node.module or "", [alias.name for alias in node.names]) for node in nodes]
        known = {name for _, names in found for name in names} | set(self.names)
        signed = sorted(set(re.findall(r"\w+", self.declarations)) & classes().keys() - known)
        return [*found, *((classes()[name], [name]) for name in signed)]

    @cached_property
    def constants(self) -> dict[ast.stmt, str]:
        """The public whole numbers, each with its declaration."""
        found = {node: ast.unparse(node) for node in self.tree.body}
        return {node: f"cpdef enum:\n    {text}\n" for node, text in found.items() if _CONSTANT.fullmatch(text)}

    def whole_numbers(self, function: ast.FunctionDef) -> list[str]:
        """Return the locals of a function without a type that are assigned without the GIL."""
        nodes = [*ast.walk(function)]
        declared = function in self.tree.body and function.name in _FUNCTION.findall(self.declarations)
        if declared or "cython.cfunc" in map(ast.unparse, function.decorator_list):
            blocks: list[ast.AST] = [function]
        else:
            blocks = [node for node in nodes if isinstance(node, ast.With) and ast.unparse(node.items[0]) == "cython.nogil"]
        typed = {node.arg for node in nodes if isinstance(node, ast.arg)}
        typed |= {ast.unparse(node.target) for node in nodes if isinstance(node, ast.AnnAssign)}
        return [name for name in dict.fromkeys(name for block in blocks for name in _assigned(block)) if name not in typed]

    @property
    def body(self) -> str:
        """Its text without docstring, imports and constants, and with the types of whole numbers."""
        lines = self.source.splitlines(keepends=True)
        for node in self.tree.body:
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if docstring or isinstance(node, ast.Import | ast.ImportFrom) or node in self.constants:
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or 0) - node.lineno + 1)
        for function in (node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)):
            if found := ", ".join(f"{name}=cython.longlong" for name in self.whole_numbers(function)):
                line = lines[function.lineno - 1]
                lines[function.lineno - 1] = f"{' ' * function.col_offset}@cython.locals({found})\n{line}"
        return "".join(lines)


@dataclass(frozen=True)
class Room:
    """The files of a folder."""

    folder: Path
    used: frozenset[tuple[str, str]] = frozenset()
    """The modules and names that kernels of other rooms import."""

    @cached_property
    def kernels(self) -> list[Kernel]:
        """Its files, each after those that it imports."""
        files = (path.relative_to(ROOT) for path in sorted((ROOT / self.folder).glob("*.py")))
        found = {each.module: each for each in map(Kernel, files) if each.name not in {"__init__", "uncompiled"}}
        graph = {name: sorted({other for other in _modules(each) if other in found}) for name, each in found.items()}
        return [found[name] for name in TopologicalSorter(graph).static_order()]

    @property
    def compiled(self) -> str:
        """The module that they become."""
        return _compiled(self.folder)

    @cached_property
    def shown(self) -> list[tuple[str, str]]:
        """The modules and names that the room shows to Python, as its `__init__` says."""
        tree = ast.parse((ROOT / self.folder / "__init__.py").read_text(encoding="utf-8"))
        found = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module is not None)
        return [(node.module, alias.name) for node in found for alias in node.names if alias.name != "*"]

    def check(self) -> None:
        """Refuse a file that is called like a name that the room shows: importing it would replace the name."""
        if twice := {each.name for each in self.kernels} & {name for _, name in self.shown}:
            raise ValueError(f"{self.folder} shows {', '.join(twice)}, and has a file of that name: rename it")

    @cached_property
    def joined_names(self) -> dict[str, dict[str, str]]:
        """For each module, the new names of those of its names that others have, too."""
        counts = Counter(name for each in self.kernels for name in set(each.names))
        return {
            each.module: {
                name: f"{each.name}__{name.lstrip('_')}"
                for name in each.names
                if counts[name] > 1 and (each.module, name) not in [*self.shown, *self.used]
            }
            for each in self.kernels
        }

    def _renamed(self, kernel: Kernel) -> dict[str, str]:
        """Return the new names of what a file defines or imports: ``file.name`` where it imports a file."""
        found = dict(self.joined_names[kernel.module])
        for module, names in kernel.imports:
            for name in names:
                if module in self.joined_names:
                    found |= {old: new for old, new in self.joined_names[module].items() if old == name}
                elif (other := self.joined_names.get(f"{module}.{name}")) is not None:
                    file = next(each for each in self.kernels if each.module == f"{module}.{name}")
                    found |= {f"{name}.{each}": other.get(each, each) for each in file.names}
        return found

    def source(self) -> str:
        """Return the loops of all files."""
        text = "".join(_with_names(each.body, self._renamed(each)) for each in self.kernels)
        shown = [name for _, name in self.shown]
        return f"import cython\nimport numpy as np\nfrom numpy.typing import NDArray\n\n__all__ = {shown}\n{text}"

    def declarations(self) -> str:
        """Return the declarations of all files; what comes from other rooms comes from the modules that these become."""
        own = {each.module for each in self.kernels} | {_dotted(self.folder)}
        renamed = {name for names in self.joined_names.values() for name in names}
        defined = {name for each in self.kernels for name in each.names} - renamed
        imported: dict[str, None] = {"cimport cython\n": None}
        parts: list[str] = []
        for each in self.kernels:
            for module, names in each.imports:
                if (home := _home(module)) and module not in own:
                    if twice := defined & set(names):
                        raise ValueError(f"{each.path} imports {', '.join(twice)}, but a file next to it defines that, too")
                    imported[f"from {home} cimport {', '.join(names)}\n"] = None
            text = "".join([*each.constants.values(), each.declarations])
            for old, new in self._renamed(each).items():
                text = re.sub(rf"(?<![\w.]){re.escape(old)}\b", new, text)
            parts.append(text)
        return "".join([*imported, *parts])


@cache
def classes() -> dict[str, str]:
    """Return the module of each class of C."""
    files = (path.relative_to(ROOT) for path in sorted((ROOT / KERNELS).rglob("*.py")))
    return {name: each.module for each in map(Kernel, files) for name in _CLASS.findall(each.declarations)}


def rooms() -> list[Room]:
    """Return all rooms, the folder of the kernels that all of them use among them."""
    found = [Room(path.parent.relative_to(ROOT)) for path in sorted((ROOT / KERNELS).rglob("__init__.py"))]
    used: dict[Path, set[tuple[str, str]]] = {}
    for room in found:
        imports = (each for kernel in room.kernels for each in kernel.imports)
        used[room.folder] = {(module, name) for module, names in imports for name in names}
    return [Room(room.folder, frozenset().union(*(used[each] for each in used if each != room.folder))) for room in found]


def modules() -> list[str]:
    """Return the names of the modules that the rooms become."""
    return [room.compiled for room in rooms()]


def join(folder: Path) -> dict[str, Path]:
    """Write the modules into a folder, those that differ; return their sources by their names."""
    found: dict[str, Path] = {}
    package = folder / KERNELS
    package.mkdir(parents=True, exist_ok=True)
    for each in (package, package.parent):
        _write(each / "__init__.py", "")
    for room in rooms():
        room.check()
        path = package / f"{room.compiled.rpartition('.')[2]}.py"
        _write(path, room.source())
        _write(path.with_suffix(".pxd"), room.declarations())
        found[room.compiled] = path
    return found


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8", newline="\n")


def _dotted(path: Path) -> str:
    return ".".join(path.parts)


def _modules(kernel: Kernel) -> Iterator[str]:
    """Yield what may be modules among that which a file imports."""
    for module, names in kernel.imports:
        yield module
        yield from (f"{module}.{name}" for name in names)


def _compiled(folder: Path) -> str:
    """Return the module that the files of a folder become."""
    return f"{_dotted(KERNELS)}._{'basics' if folder == KERNELS else folder.name}"


def _home(module: str) -> str | None:
    """Return where C finds what a file imports, if it does."""
    if module.startswith(f"{_dotted(KERNELS)}."):
        return _compiled(Path(*module.split(".")).parent)
    return IN_C.get(module)


def _assigned(node: ast.AST) -> Iterator[str]:
    """Yield the names that a block assigns; a comprehension has its own."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif not isinstance(each, ast.comprehension):
            yield from _assigned(each)


def _with_names(text: str, names: dict[str, str]) -> str:
    """Replace names, but not those of attributes and of keyword arguments."""
    if not names:
        return text
    lines = text.splitlines(keepends=True)
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type != tokenize.NL]
    for place in range(len(tokens) - 1, -1, -1):
        token, behind = tokens[place], [each.string for each in tokens[place + 1 : place + 3]]
        if token.type != tokenize.NAME or (place and tokens[place - 1].string == "."):
            continue
        end = token
        found = names.get(token.string)
        if found is None and behind and behind[0] == ".":
            found, end = names.get(f"{token.string}.{behind[1]}"), tokens[place + 2]
        if found is not None:
            row, first = token.start
            lines[row - 1] = lines[row - 1][:first] + found + lines[row - 1][end.end[1] :]
    return "".join(lines)
