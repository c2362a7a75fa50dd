"""Join the kernels of each room into one module, which Cython compiles: `setup.py` does it, and writes them to `build/kernels`.

An extension module costs a second of gcc before its first loop. So the files of a room, small ones for readers, become one
module with one file of declarations. A name that two files define gets that of its file in front of it. The module of a room
is next to its folder: inside, two threads that import the folder and the module first would wait for each other.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent

KERNELS = Path("kanon_sql/kernels")

_CIMPORT = re.compile(r"^from (\S+) cimport (\([^)]*\)|[^\n(]*)\n", re.MULTILINE)


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
    def names(self) -> list[str]:
        """What it defines."""
        found: list[str] = []
        for node in ast.parse(self.source).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.append(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found += [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        return found

    @cached_property
    def imports(self) -> list[tuple[str, list[str]]]:
        """The modules that it imports from, compiled or not, and what."""
        found = [(module, re.findall(r"\w+", names)) for module, names in _CIMPORT.findall(self.declarations)]
        nodes = (node for node in ast.walk(ast.parse(self.source)) if isinstance(node, ast.ImportFrom))
        return [*found, *((node.module or "", [alias.name for alias in node.names]) for node in nodes)]


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
        graph = {name: {other for other in _modules(each) if other in found} for name, each in found.items()}
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
        text = "".join(_with_names(_body(each), self._renamed(each)) for each in self.kernels)
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
            for module, names in _CIMPORT.findall(each.declarations):
                if module not in own:
                    if twice := defined & set(re.findall(r"\w+", names)):
                        raise ValueError(f"{each.path} imports {', '.join(twice)}, but a file next to it defines that, too")
                    imported[f"from {_module_of(module)} cimport {names}\n"] = None
            text = _CIMPORT.sub("", each.declarations).replace("cimport cython\n", "", 1)
            for old, new in self._renamed(each).items():
                text = re.sub(rf"(?<![\w.]){re.escape(old)}\b", new, text)
            parts.append(text)
        return "".join([*imported, *parts])


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


def _module_of(module: str) -> str:
    """Return where something of a file of another room is."""
    return _compiled(Path(*module.split(".")).parent) if module.startswith(_dotted(KERNELS)) else module


def _body(kernel: Kernel) -> str:
    """Return a file without its docstring, its imports, and what it does uncompiled."""
    lines = kernel.source.splitlines(keepends=True)
    for node in reversed(ast.parse(kernel.source).body):
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if docstring or isinstance(node, ast.Import | ast.ImportFrom | ast.Try | ast.If):
            del lines[node.lineno - 1 : node.end_lineno]
    return "".join(lines)


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
