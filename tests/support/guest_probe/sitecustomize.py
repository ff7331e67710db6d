"""Tells what a process is like when it ends: Python imports this module by itself, from PYTHONPATH.

PROBE_FILE: where the JSON goes. PROBE_HIDE: leave the plug-in out of the entry points, as if it were not installed.
PROBE_SLEEP: the most seconds that a sleep takes, because HELM waits for minutes before it tries a call again.
"""

import atexit
import gc
import importlib.metadata
import importlib.util
import json
import os
import signal
import sys
import threading
import time
import types

_OURS = "helm_impactbench"
_FILE, _HIDE = os.environ.pop("PROBE_FILE", ""), os.environ.pop("PROBE_HIDE", "")
_SLEEP = os.environ.pop("PROBE_SLEEP", "")
_FOLDER = importlib.util.find_spec(_OURS).submodule_search_locations[0] + os.sep
_KINDS = (types.FunctionType, types.MethodType, type, staticmethod, classmethod)
_entry_points = importlib.metadata.entry_points


class _Hidden:
    def select(self, **wanted):
        return [point for point in _entry_points().select(**wanted) if not point.value.startswith(_OURS)]


def _name(value):
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value)}"


def _is_ours(value):
    """Return whether a function or class is ours: by its code, since a wrapper bears the name of what it wraps."""
    if not isinstance(value, _KINDS):
        return False
    inner = getattr(value, "__func__", value)
    code = getattr(inner, "__code__", None)
    written = code.co_filename if isinstance(code, types.CodeType) else ""
    return str(getattr(inner, "__module__", "")).startswith(_OURS) or written.startswith(_FOLDER)


def _replaced():
    """Yield the attributes of modules and classes that are not ours, and whose values are."""
    for name, module in list(sys.modules.items()):
        if name.startswith(_OURS) or name == "__main__":
            continue
        for attribute, value in list(vars(module).items()):
            if _is_ours(value):
                yield f"{name}.{attribute}"
            if isinstance(value, type) and value.__module__ == name:
                yield from (f"{name}.{attribute}.{part}" for part, one in list(vars(value).items()) if _is_ours(one))


def _tell():
    ours = sorted(name for name in sys.modules if name.startswith(_OURS))
    with open(_FILE, "w") as file:
        json.dump({
            "replaced": sorted(_replaced()),
            "signals": {number.name: _name(signal.getsignal(number)) for number in signal.valid_signals()
                        if isinstance(number, signal.Signals)},
            "environment": dict(os.environ),
            "gc": [gc.get_threshold(), gc.isenabled(), gc.get_freeze_count()],
            "hooks": [_name(hook) for hook in (sys.excepthook, sys.unraisablehook, threading.excepthook)],
            "at exit": atexit._ncallbacks(),
            "modules": ours,
            "others": sorted(name for name in sys.modules if name not in ours),
        }, file)  # fmt: skip


if _SLEEP:
    _sleep = time.sleep
    time.sleep = lambda seconds: _sleep(min(seconds, float(_SLEEP)))
if _HIDE:
    importlib.metadata.entry_points = lambda **wanted: _entry_points(**wanted) if wanted else _Hidden()
if _FILE:
    atexit.register(_tell)  # the first to be registered is the last to be called
