"""A quicker start of HELM in the commands that tests run: Python imports this module by itself, from PYTHONPATH.

At each start HELM reads its own 700 kB of YAML with PyYAML's parser in Python, more than a second. Tests start HELM
hundreds of times; here libyaml parses these files, and only these, to the same result.
"""

import gc
import os
import sys
from pathlib import Path

import yaml

_python_safe_load = yaml.safe_load


def _safe_load(stream):
    name = getattr(stream, "name", None)
    is_helms = isinstance(name, str) and Path(name).parent.parts[-2:] == ("helm", "config")
    return yaml.load(stream, Loader=yaml.CSafeLoader) if is_helms else _python_safe_load(stream)


if yaml.__with_libyaml__:
    yaml.safe_load = _safe_load
gc.set_threshold(50_000, 20, 20)  # as the plug-in sets it, a second earlier

if os.environ.get("FAULTY_SYSTEM"):
    sys.path.append(str(Path(__file__).parents[3]))
    from tests.support.faulty_system import begin_from_environment

    begin_from_environment()
