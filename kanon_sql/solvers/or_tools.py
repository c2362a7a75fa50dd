"""The modules of OR-Tools, each imported when it is first needed, on a thread of its own.

OR-Tools is built with pybind11, which remembers Python's state of the thread that imports it. DuckDB calls functions from
threads of its own and discards that state after each call: imported there, OR-Tools would use freed memory in a later call.
"""

from __future__ import annotations

import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ortools.glop import parameters_pb2 as parameters_pb2
    from ortools.graph.python import max_flow as max_flow
    from ortools.graph.python import min_cost_flow as min_cost_flow
    from ortools.math_opt import model_pb2 as model_pb2
    from ortools.math_opt.python import mathopt as mathopt
    from ortools.sat.python import cp_model as cp_model

_MODULES = {
    "cp_model": "ortools.sat.python.cp_model",
    "mathopt": "ortools.math_opt.python.mathopt",
    "max_flow": "ortools.graph.python.max_flow",
    "min_cost_flow": "ortools.graph.python.min_cost_flow",
    "model_pb2": "ortools.math_opt.model_pb2",
    "parameters_pb2": "ortools.glop.parameters_pb2",
}

THREAD = "kanon-or-tools"
"""The name of the thread."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    thread = threading.Thread(target=import_module, args=(_MODULES[name],), name=THREAD)
    thread.start()
    thread.join()
    module = globals()[name] = import_module(_MODULES[name])
    return module
