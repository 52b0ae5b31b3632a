# SPDX-License-Identifier: GPL-2.0-only
"""Load a script of scripts/ as a module, with any file name."""

import importlib.util
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SCRIPTS))


def script(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"),
                                                  SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
