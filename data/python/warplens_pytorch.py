"""Has PyTorch name its operators and modules as NVTX ranges, from its first use of CUDA on; what sitecustomize.py loads.
Whatever fails here is left out, and the program does not see it."""
import os
import sys


def _ignore_errors(function):
    def call(*words, **named):
        try:
            return function(*words, **named)
        except Exception:
            return None
    return call


class _Operators:
    """torch.autograd.profiler.emit_nvtx, but without its wait for the device."""

    def __init__(self, torch, has_shapes):
        self.torch, self.has_shapes, self.thread = torch, has_shapes, None

    @_ignore_errors
    def begin(self):
        import atexit
        import threading
        profiler = self.torch.autograd.profiler
        if self.torch._C._autograd._profiler_enabled():
            return
        try:
            config = profiler.ProfilerConfig(profiler.ProfilerState.NVTX, self.has_shapes, False, False, False, False,
                                             profiler._ExperimentalConfig())
        except (AttributeError, TypeError):
            config = profiler.ProfilerConfig(profiler.ProfilerState.NVTX, self.has_shapes, False, False, False, False)
        self.step_aside(self.torch.autograd)
        self.step_aside(profiler)
        self.disable = profiler._disable_profiler
        profiler._enable_profiler.__wrapped__(config, set())
        self.thread = threading.get_ident()
        atexit.register(self.end)

    def step_aside(self, module):
        """The program's own profiler cannot begin where another is on: ours ends for good."""
        for name in ("_enable_profiler", "_prepare_profiler"):
            original = getattr(module, name, None)
            if original is not None:
                setattr(module, name, self.before(original))

    def before(self, original):
        def call(*words, **named):
            self.end()
            return original(*words, **named)
        call.__wrapped__ = original
        return call

    @_ignore_errors
    def end(self):
        import threading
        if self.thread == threading.get_ident():
            self.thread = None
            self.disable()


class _Modules:
    """A range around each forward() of a module, named by its place in the outermost one."""
    PREFIX = "nn.Module: "

    def __init__(self, torch):
        import threading
        self.torch, self.handles, self.is_off, self.names = torch, [], False, {}
        self.open = threading.local()

    def keep_from_compiler(self):
        """Hooks of all modules would break the graphs that torch.compile finds: with it there are none."""
        import functools
        for place in (self.torch, getattr(self.torch, "export", None)):
            name = "compile" if place is self.torch else "export"
            original = getattr(place, name, None)
            if not callable(original):
                continue

            def call(*words, _original=original, **named):
                self.end()
                return _original(*words, **named)
            setattr(place, name, functools.wraps(original)(call))

    @_ignore_errors
    def begin(self):
        if self.is_off or self.handles:
            return
        module = self.torch.nn.modules.module
        self.push, self.pop = self.torch.cuda.nvtx.range_push, self.torch.cuda.nvtx.range_pop
        self.handles.append(module.register_module_forward_pre_hook(self.enter))
        try:
            self.handles.append(module.register_module_forward_hook(self.leave, always_call=True))
        except TypeError:
            self.handles.append(module.register_module_forward_hook(self.leave))

    @_ignore_errors
    def end(self):
        self.is_off = True
        while self.handles:
            self.handles.pop().remove()

    def name_all(self, root):
        import weakref
        kept = self.names.get(id(root))
        if kept is None or kept[0]() is not root:
            top = type(root).__name__
            names = {id(module): "%s%s%s (%s)" % (self.PREFIX, top, "." + path, type(module).__name__)
                     for path, module in root.named_modules() if path}
            names[id(root)] = self.PREFIX + top
            kept = self.names[id(root)] = (weakref.ref(root), names)
        return kept[1]

    # What these answer would take the place of the module's arguments and result: always None.

    def enter(self, module, _arguments):
        try:
            state = self.open.__dict__
            stack = state.setdefault("stack", [])
            if stack and stack[0] is module: # an exception left it open
                self.close(stack, 0)
            if not stack:
                state["names"] = self.name_all(module)
            stack.append(module)
            self.push(state["names"].get(id(module)) or self.PREFIX + type(module).__name__)
        except Exception:
            pass

    def leave(self, module, _arguments, _result):
        try:
            stack = self.open.__dict__.get("stack", [])
            for at in range(len(stack) - 1, -1, -1):
                if stack[at] is module:
                    self.close(stack, at)
                    break
        except Exception:
            pass

    def close(self, stack, depth):
        while len(stack) > depth:
            stack.pop()
            self.pop()


@_ignore_errors
def _begin(torch):
    wanted = os.environ.get("WARPLENS_PYTORCH", "").split(",")
    parts = []
    if "autograd-nvtx" in wanted or "autograd-shapes-nvtx" in wanted:
        parts.append(_Operators(torch, "autograd-shapes-nvtx" in wanted))
    if "functions-trace" in wanted:
        parts.append(_Modules(torch))
        parts[-1].keep_from_compiler()
    for part in parts:
        torch.cuda._lazy_call(part.begin)


class _Watcher:
    """Of the import of torch, until it is loaded: a program may ask for it before without loading it."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or path is not None:
            return None
        for finder in sys.meta_path:
            ask = None if finder is self else getattr(finder, "find_spec", None)
            spec = ask(name, path, target) if ask else None
            if spec is not None:
                self.wrap(spec.loader)
                return spec
        return None

    @_ignore_errors
    def wrap(self, loader):
        original = loader.exec_module

        def exec_module(module):
            del loader.exec_module
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            original(module)
            _begin(module)
        loader.exec_module = exec_module


def watch():
    sys.meta_path.insert(0, _Watcher())
