"""Loaded by Python at its start, as `warplens trace --pytorch` puts this folder before PYTHONPATH. The program sees no
difference: another sitecustomize runs as it would, and sys.path is what it would be. Any Python can read this file."""
import os
import sys


def _find_next(folder):
    """The file or package that would have been found without this one."""
    import importlib.machinery
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or os.curdir) != folder]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    return spec if spec is not None and spec.loader is not None else None


def _load(spec, name):
    import importlib.util
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _watch(folder):
    import importlib.util
    file = os.path.join(folder, "warplens_pytorch.py")
    try:
        _load(importlib.util.spec_from_file_location("warplens_pytorch", file), "warplens_pytorch").watch()
    except Exception:
        pass


if sys.version_info >= (3, 6):
    _here = os.path.dirname(os.path.abspath(__file__))
    _next = _find_next(_here)
    if os.environ.get("WARPLENS_PYTORCH"):
        _watch(_here)
    if _next is not None:
        _load(_next, "sitecustomize")
