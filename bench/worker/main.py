"""The child process: loads one extractor and answers for one page after another.

Started as ``python -m bench.worker.main FD`` with an open socket as descriptor FD (see
``channel``). Everything that an extractor can do wrong ends here as an outcome, or ends this
process, which the supervisor then starts again. Standard library and Python 3.7 only, so that it
runs under any interpreter.

Requests: ``confine`` (what the walls leave in sight), ``load`` (adapter, name, settings,
attributes, filters), ``extract`` (url, encoding; the page as payload), ``bye``. Answers, each
with its request's id: ``hello``, ``loaded`` or ``failed``, ``text`` (the text as payload),
``bye``; ``bench.runs.answers`` says what is in them.
"""

from __future__ import annotations

import builtins
import importlib.util
import json
import os
import platform
import signal
import sys
import time
import traceback
from typing import Any, Callable, Dict, List, Optional, Tuple

from bench.extractor import TEXTS, TEXTS_AND_GOLD, Extractor
from bench.worker import channel, isolation, kernel, network_attempts
from bench.worker.decode import decode

Answer = Tuple[Dict[str, Any], bytes]

TEXT_LIMIT_BYTES = 256 << 20
"""A text beyond this is an error: no page holds that much."""

_DIAGNOSTICS_CHARS = 4096
_REASON_CHARS = 1024
_TERMINATE_WITH_PARENT = 1
_ADOPT_ORPHANS = 36


def main(fd: int) -> None:
    """Answer requests on a descriptor until it closes or ``bye`` comes."""
    os.set_inheritable(fd, False)
    _prepare_to_die()
    request, _ = channel.read(fd)
    confined = isolation.confine(isolation.Outside(**request["outside"]), fd)
    _adopt_orphans()
    worker = _Worker(confined)
    pid = os.getpid()
    header, text = worker.hello(), b""
    while True:
        if os.getpid() != pid:
            # The extractor forked, and its child came back out of extract(): not ours to answer.
            os._exit(0)
        channel.write(fd, dict(header, id=request["id"]), text)
        if request["op"] == "bye":
            return
        worker.between_pages()
        try:
            request, payload = channel.read(fd)
        except channel.Closed:
            return
        header, text = worker.answer(request, payload)


class _Worker:
    def __init__(self, confined: isolation.Walls) -> None:
        alone = confined.network == isolation.NAMESPACE
        if network_attempts.watch(alone=alone) and not alone:
            confined = confined._replace(network=isolation.REFUSED)
        self._walls = confined
        self._extractor = Extractor()
        self._filters: List[Callable[[str], str]] = []
        self._program: Any = None
        self._count_attempts = network_attempts.python_attempts
        self._attempts_seen = 0
        self._children_cpu_s = 0.0
        self._home = os.getcwd()

    def hello(self) -> Dict[str, Any]:
        return dict(self._walls._asdict(), op="hello", python=platform.python_version())

    def answer(self, request: Dict[str, Any], payload: bytes) -> Answer:
        op = request["op"]
        if op == "extract":
            return self.extract(request, payload)
        if op == "load":
            return self.load(request), b""
        return self.bye(), b""

    def load(self, request: Dict[str, Any]) -> Dict[str, Any]:
        before = time.perf_counter()
        imports = _ImportClock()
        try:
            with imports:
                self._extractor = adapter(request["adapter"], request["name"])()
                # What is known of it beside its class: where a program is, what version it must be.
                for attribute, value in request.get("attributes", {}).items():
                    setattr(self._extractor, attribute, value)
                self._extractor.load(**request["settings"])
                if request.get("filters"):
                    from bench.worker.filters.catalogue import FILTERS

                    self._filters = [FILTERS[name] for name in request["filters"]]
        except BaseException as error:
            return {
                "op": "failed",
                "reason": one_line(error),
                "missing": getattr(error, "name", None) if isinstance(error, ImportError) else None,
                "diagnostics": _describe(error),
            }
        whole = time.perf_counter() - before
        if is_a("CommandExtractor", type(self._extractor)):
            self._program = self._extractor
            # The audit hook sees no child; the kernel does.
            self._count_attempts = network_attempts.attempts
            self._attempts_seen = network_attempts.attempts()
        self._children_cpu_s = kernel.children_cpu_s()
        return {
            "op": "loaded",
            "import_s": imports.seconds,
            "load_s": whole - imports.seconds,
            # What a bridge to another language knows of that side; Python's list is the parent's.
            "packages": list(getattr(self._extractor, "packages", list)()),
        }

    def extract(self, request: Dict[str, Any], html: bytes) -> Answer:
        page, decode_s = self._page(request, html)
        pid = os.getpid()
        text, failure = None, None  # type: Any, Optional[BaseException]
        url, run = request["url"], self._extractor.extract
        before_cpu = self._children_cpu_s + time.process_time()
        before = time.perf_counter()
        try:
            text = run(page, url)
            if self._filters and isinstance(text, str):
                # What stands on two sheets, or in two texts, is no one sentence.
                text = "\f".join(map(self._filtered, text.split("\f")))
        except BaseException as error:
            failure = error
        wall_s = time.perf_counter() - before
        own_cpu_s = time.process_time()
        self._children_cpu_s = kernel.children_cpu_s()
        cpu_s = own_cpu_s + self._children_cpu_s - before_cpu
        if os.getpid() != pid:
            return {}, b""
        outcome, payload, diagnostics = _classify(text, failure)
        # What the page left behind, not what it is still holding on to for us.
        del page, text, failure
        self._tidy()
        attempts, seen = self._count_attempts(), self._attempts_seen
        self._attempts_seen = attempts
        header = {
            "op": "text",
            "outcome": outcome,
            "decode_s": decode_s,
            "wall_s": wall_s,
            "cpu_s": max(0.0, cpu_s),
            # A child that has ended has no mark any more; its parent was told.
            "ended_child_peak_bytes": self._program.ended_child_peak_bytes if self._program else 0,
            "network_attempts": attempts - seen,
            "diagnostics": diagnostics,
        }
        return header, payload

    def _filtered(self, text: str) -> str:
        for apply in self._filters:
            text = apply(text)
        return text

    def between_pages(self) -> None:
        """Restart a program that can no longer be trusted to answer for the right page."""
        if self._program is None or not self._program.broken:
            return
        kernel.end_descendants()
        try:
            self._program.restart()
        except Exception as error:
            sys.stderr.write(_describe(error) + "\n")
            os._exit(1)
        self._children_cpu_s = kernel.children_cpu_s()

    def bye(self) -> Dict[str, Any]:
        kernel.end_descendants()
        return {"op": "bye", "network_attempts": network_attempts.attempts()}

    def _page(self, request: Dict[str, Any], html: bytes) -> Tuple[Any, float]:
        """What this extractor is handed, and the time that decoding took."""
        self._extractor.stated_charset = request["encoding"]
        if self._extractor.accepts == "bytes":
            return html, 0.0
        before = time.perf_counter()
        if self._extractor.accepts == "gold":
            return html.decode("utf-8"), time.perf_counter() - before
        if self._extractor.accepts in (TEXTS, TEXTS_AND_GOLD):
            return json.loads(html.decode("utf-8")), time.perf_counter() - before
        text = decode(html, request["encoding"])
        return text, time.perf_counter() - before

    def _tidy(self) -> None:
        """Undo what would make one page change the next."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            os.chdir(self._home)
        except OSError:
            pass


def adapter(path: str, name: str) -> Any:
    """Import an adapter file and return its Extractor subclass of that name.

    Raises ``LookupError`` where the file has none, and whatever importing it raises.
    """
    for thing in vars(imported(path)).values():
        if isinstance(thing, type) and issubclass(thing, Extractor) and thing.name == name:
            return thing
    raise LookupError("%s has no Extractor named %r" % (path, name))


def imported(path: str) -> Any:
    """Import an adapter file and return the module. Raises whatever importing it raises."""
    stem = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location("bench_adapters." + stem, path)
    if spec is None or spec.loader is None:
        raise LookupError("%s is no Python file" % path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class _ImportClock:
    """Times the outermost imports made inside its block: import apart from load."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0

    def __enter__(self) -> None:
        self._import = builtins.__import__
        builtins.__import__ = self._timed

    def __exit__(self, *_: object) -> None:
        builtins.__import__ = self._import

    def _timed(self, *args: Any, **keywords: Any) -> Any:
        if self._depth:
            return self._import(*args, **keywords)
        self._depth, before = 1, time.perf_counter()
        try:
            return self._import(*args, **keywords)
        finally:
            self._depth = 0
            self.seconds += time.perf_counter() - before


def _classify(text: Any, failure: Optional[BaseException]) -> Tuple[str, bytes, str]:
    """Return outcome, text in UTF-8, and diagnostics of one call of ``extract``."""
    if isinstance(failure, MemoryError):
        return "oom", b"", _describe(failure)
    if failure is not None:
        return "error", b"", _describe(failure)
    if not isinstance(text, str):
        return "error", b"", "extract() returned %s, not str" % type(text).__name__
    diagnostics = ""
    try:
        # Of str itself: a subclass may do anything.
        data = str.encode(text, "utf-8")
    except UnicodeEncodeError:
        data = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text).encode("utf-8")
        diagnostics = "lone surrogates in the text were replaced by U+FFFD"
    if len(data) > TEXT_LIMIT_BYTES:
        return "error", b"", "extract() returned %d bytes of text" % len(data)
    if not str.strip(text):
        return "empty", b"", diagnostics
    return "ok", data, diagnostics


def one_line(error: BaseException) -> str:
    """Exception type and message, cut where it goes on and on, and fit to be written to a file."""
    message = " ".join(_message(error)[:_DIAGNOSTICS_CHARS].split())[:_REASON_CHARS]
    kind = type(error).__name__
    line = "%s: %s" % (kind, message) if message else kind
    return line.encode("utf-8", "replace").decode("utf-8")


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:
        return ""


def is_a(name: str, kind: type) -> bool:
    """Whether a class is that class of ``bench.worker.program``, which few adapters need."""
    module = sys.modules.get("bench.worker.program")
    return module is not None and issubclass(kind, getattr(module, name))


def _describe(error: BaseException) -> str:
    """Exception type, message and the line that raised it, then the innermost frames.

    A program's error is its own message: our frames say nothing of it.
    """
    if is_a("ProgramError", type(error)):
        text = "%s\n%s" % (one_line(error), error.diagnostics)  # type: ignore[attr-defined]
        return text[:_DIAGNOSTICS_CHARS].encode("utf-8", "replace").decode("utf-8")
    try:
        frames = traceback.extract_tb(error.__traceback__)
        where = ["  %s:%d in %s" % (f.filename, f.lineno or 0, f.name) for f in reversed(frames)]
    except BaseException:
        where = []
    text = "\n".join([one_line(error), *where])[:_DIAGNOSTICS_CHARS]
    return text.encode("utf-8", "replace").decode("utf-8")


def _prepare_to_die() -> None:
    """Have the kernel kill us when the harness dies or memory runs out, and write no core files."""
    if not kernel.LINUX:
        return
    import ctypes
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(_TERMINATE_WITH_PARENT, signal.SIGKILL)
    try:
        # If memory runs out, the kernel takes us before the harness.
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass


def _adopt_orphans() -> None:
    """Make orphans of an extractor's children ours: they count, and they end with us."""
    if kernel.LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
