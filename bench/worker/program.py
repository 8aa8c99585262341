"""Extractors that are programs of their own: JSON lines over standard streams, or a start a page.

``docs/protocol.md`` is the protocol. The worker loads a ``CommandExtractor`` like any other adapter;
the program is its child, so deadline, memory cap, CPU time and the missing network are the worker's.
Standard library and Python 3.7 only: it is imported inside the worker.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from bench.extractor import Extractor

PROTOCOL = 1
"""Version of the protocol; both sides name it in the handshake."""

REPLY_LIMIT_BYTES = 64 << 20
"""A line or an output beyond this ends the program: no page holds that much."""

_WAIT = 0
"""For ``wait4``: until it has ended."""
_LOOK_S = 0.05
"""How often a program is checked for being dead while its streams stay open."""
_CLOSING_S = 1.0
_TAIL_BYTES = 4096
_READ_BYTES = 1 << 20
_SET_PIPE_SIZE = 1031
_SET_PARENT_DEATH_SIGNAL = 1
_QUOTED_CHARS = 80
_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")
_LINUX = sys.platform.startswith("linux")
_libc = ctypes.CDLL(None) if _LINUX else None  # before any fork: its child may not import


class ProgramError(Exception):
    """The program said that it failed; ``diagnostics`` is all that it said."""

    def __init__(self, reason: str, diagnostics: str = "") -> None:
        super().__init__(reason)
        self.diagnostics = (diagnostics or reason)[-_TAIL_BYTES:]


class ProtocolError(ProgramError):
    """What the program wrote is no answer."""


class Ended(ProgramError):
    """The program ended when it should have answered; ``status`` as ``Popen.returncode``."""

    def __init__(self, name: str, status: int, words: str) -> None:
        cause = "%s %s" % (name, _ending(status))
        hint = telling_line(words)
        super().__init__("%s: %s" % (cause, hint) if hint else cause, "%s\n%s" % (cause, words))
        self.status = status


class CommandExtractor(Extractor):
    """Runs a program and talks to it; a subclass says which.

    ``extract`` is the whole exchange: the request written, the program's work, the reply read.
    """

    command: Tuple[str, ...] = ()
    """The program and its words. A word that names a file beside the adapter file becomes its
    full path; ``{folder}`` stands for that folder, ``{KEY}`` for a setting of the variant."""

    one_shot: bool = False
    """Started for every page: HTML on standard input, text on standard output."""

    files: Tuple[str, ...] = ()
    """Further files that its texts depend on, as globs below the adapter's folder."""

    npm: str = ""
    """Folder beside the adapter file with ``package.json`` and ``package-lock.json``: what npm is to
    install into an environment of its own. ``{modules}`` in the command stands for its folder."""

    modules: str = ""
    """That folder; set for a run."""

    package: str = ""
    """Which package it wraps: of npm's, whose version it then has; without ``npm`` of Python's."""

    version_command: Tuple[str, ...] = ()
    """What prints the version; by default the handshake tells it."""

    language: str = ""
    """What it is written in; by default told from the program's name."""

    remedy: str = ""
    """What to type where the program is missing."""

    folder: str = ""
    """Where relative files are looked for; by default the adapter file's folder."""

    expected_version: Optional[str] = None
    """What the handshake must say; set for a run, from what the row shows."""

    version_remedy: str = ""
    """What to do when it says something else."""

    def load(self, *_: Any, **settings: Any) -> None:
        """Start the program and shake hands; a one-shot program is started page by page."""
        self._settings = settings
        self._child: Optional[Child] = None
        self._asked = 0
        self._packages: List[str] = []
        self.ended_child_peak_bytes = 0
        self.broken = False
        folder = self.folder or os.path.dirname(
            os.path.abspath(str(sys.modules[type(self).__module__].__file__))
        )
        self._words = resolved(self.command, folder, {"modules": self.modules, **settings})
        if not self.one_shot:
            self._start()

    def extract(self, html: Any, url: Optional[str]) -> str:
        """Return the program's text of one page. Raises ``ProgramError`` where there is none.

        Where the program ends, this process ends in the same way: the page is a crash.
        """
        try:
            if self.one_shot:
                return self._run_once(html, url)
            return self._ask(html, url)
        except Ended as ended:
            end_like(ended.status)
            raise

    def packages(self) -> List[str]:
        """Return ``NAME==VERSION`` of the program and of what it says it has loaded."""
        return self._packages

    def restart(self) -> None:
        """Start the program again; the earlier process has been killed."""
        self.broken = False
        if not self.one_shot:
            self._start()

    def _start(self) -> None:
        self._child = Child(self._words)
        greeting = self._child.shake_hands(self.accepts, self._settings)
        version = greeting["version"]
        if self.expected_version is not None and version != self.expected_version:
            raise ProgramError(
                "it says version %s, not %s; %s"
                % (version, self.expected_version, self.version_remedy)
            )
        self._packages = ["%s==%s" % (greeting["name"], version), *greeting["packages"]]

    def _ask(self, html: Any, url: Optional[str]) -> str:
        if self._child is None or self.broken:
            raise ProgramError("the program could not be started again")
        self._asked += 1
        request = {"op": "extract", "id": self._asked, "url": url}  # type: Dict[str, Any]
        if isinstance(html, bytes):
            request["html_base64"] = base64.b64encode(html).decode("ascii")
        else:
            request["html"] = html
        try:
            reply = self._child.ask(request)
            if reply.get("id") != self._asked:
                raise ProtocolError(
                    "the reply has id %s, the request %d" % (_quoted(reply.get("id")), self._asked)
                )
        except ProtocolError:
            # Whatever it sends from now on may belong to another page.
            self._child.kill()
            self.broken = True
            raise
        if "error" in reply:
            said = str(reply["error"])
            raise ProgramError(said.split("\n", 1)[0] or "an error without words", said)
        text = reply.get("text")
        if not isinstance(text, str):
            raise ProgramError('the reply\'s "text" is %s, no string' % _kind(text))
        return text

    def _run_once(self, html: Any, url: Optional[str]) -> str:
        child = Child(self._words, {} if url is None else {"BENCH_URL": url})
        try:
            out = child.run(html if isinstance(html, bytes) else html.encode("utf-8", "replace"))
        except ProtocolError:
            self.broken = True
            raise
        finally:
            self.ended_child_peak_bytes = child.peak_bytes
        status = child.status
        if status and status > 0:
            ended = Ended(child.name, status, child.last_words())
            raise ProgramError(str(ended), ended.diagnostics)
        if status:
            raise Ended(child.name, status, child.last_words())
        return out.decode("utf-8", "replace")


class Child:
    """One running program: its streams, its end, and its last words.

    ``own_group`` puts it into a process group of its own, for those who have no worker around it.
    """

    def __init__(
        self,
        words: Sequence[str],
        extra: Optional[Mapping[str, str]] = None,
        *,
        own_group: bool = False,
        cwd: Optional[str] = None,
    ) -> None:
        self.name = os.path.basename(words[0])
        self.status: Optional[int] = None
        self.peak_bytes = 0
        """Resident high-water mark, known once it has ended; 0 where the platform cannot tell."""
        self._own_group = own_group
        self._unsent = memoryview(b"")
        self._popen = subprocess.Popen(
            list(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **extra} if extra else None,
            cwd=cwd,
            preexec_fn=_die_with_parent if _LINUX else None,  # noqa: PLW1509
            start_new_session=own_group,
        )
        streams = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._open = {stream.fileno(): stream for stream in streams if stream is not None}
        self._stdin, self._stdout, self._stderr = self._open
        self._tail = b""
        for fd in self._open:
            os.set_blocking(fd, False)
            _widen(fd)

    def shake_hands(
        self, accepts: str, settings: Mapping[str, Any], deadline_s: Optional[float] = None
    ) -> Dict[str, Any]:
        """Return the greeting: ``name``, ``version``, ``packages``, all checked.

        Raises ``ProgramError`` where it refuses, ``ProtocolError``, ``Ended``, and
        ``TimeoutError`` past a deadline.
        """
        request = {
            "op": "load",
            "protocol": PROTOCOL,
            "accepts": accepts,
            "settings": dict(settings),
        }
        greeting = self.ask(request, deadline_s)
        if "error" in greeting:
            said = str(greeting["error"])
            raise ProgramError(said.split("\n", 1)[0], said)
        if greeting.get("protocol") != PROTOCOL:
            raise ProtocolError(
                "the greeting has protocol %s; this bench speaks %d"
                % (_quoted(greeting.get("protocol")), PROTOCOL)
            )
        for key in ("name", "version"):
            if not isinstance(greeting.get(key), str) or not greeting[key].strip():
                raise ProtocolError('the greeting has no "%s", or it is no text' % key)
        packages = greeting.get("packages", [])
        if not isinstance(packages, list) or not all(isinstance(p, str) for p in packages):
            raise ProtocolError('the greeting\'s "packages" is no list of strings')
        return {"name": greeting["name"], "version": greeting["version"], "packages": packages}

    def ask(self, request: Mapping[str, Any], deadline_s: Optional[float] = None) -> Dict[str, Any]:
        """Send one line and return the one that comes back."""
        return _object(self._exchange(json.dumps(request).encode("ascii") + b"\n", deadline_s))

    def run(self, data: bytes) -> bytes:
        """Hand over all input, return all output, once the program has ended."""
        self._unsent, out = memoryview(data), bytearray()
        while self._open:
            if not self._unsent:
                self._close(self._stdin)
            got = self._turn()
            # A child that it left behind may hold the streams open.
            if got is None and self._has_ended():
                break
            out += got or b""
            if len(out) > REPLY_LIMIT_BYTES:
                self.kill()
                raise ProtocolError("its output is beyond %d bytes" % REPLY_LIMIT_BYTES)
        self._has_ended(_WAIT)
        self._close_all()
        return bytes(out)

    def last_words(self) -> str:
        """Return the end of what it wrote to standard error."""
        if self._stderr in self._open:
            self._read(self._stderr)
        return self._tail.decode("utf-8", "replace").strip()

    def kill(self) -> None:
        """End it now, with its group where it has one."""
        if self.status is None:
            if self._own_group:
                with contextlib.suppress(OSError):
                    os.killpg(self._popen.pid, signal.SIGKILL)
            self._popen.kill()
            self._has_ended(_WAIT)
        self._close_all()

    def _exchange(self, message: bytes, deadline_s: Optional[float]) -> bytes:
        early = self._read(self._stdout) if self._stdout in self._ready(False, 0.0) else b""
        if early:
            raise ProtocolError("it wrote a line that nobody asked for: %s" % _quoted_bytes(early))
        give_up = None if deadline_s is None else time.monotonic() + deadline_s
        self._unsent, out = memoryview(message), bytearray()
        while self._stdout in self._open:
            got = self._turn()
            if got is None and self._has_ended():
                break
            out += got or b""
            if got and b"\n" in got:
                return _one_line_of(bytes(out), bool(self._unsent))
            if len(out) > REPLY_LIMIT_BYTES:
                raise ProtocolError("its reply is beyond %d bytes" % REPLY_LIMIT_BYTES)
            if give_up is not None and time.monotonic() > give_up:
                raise TimeoutError("no answer within %g s" % (deadline_s or 0.0))
        raise self._closed()

    def _turn(self) -> Optional[bytes]:
        """Write and read what can be now; return its standard output, None where nothing happened."""
        ready = self._ready(bool(self._unsent))
        if self._stdin in ready:
            self._write()
        if self._stderr in ready:
            self._read(self._stderr)
        if self._stdout in ready:
            return self._read(self._stdout)
        return b"" if ready else None

    def _closed(self) -> ProgramError:
        """Say why there is no more output: it has ended, or has closed its standard output."""
        give_up = time.monotonic() + _CLOSING_S
        while time.monotonic() < give_up:
            if self._has_ended():
                return Ended(self.name, self.status or 0, self.last_words())
            time.sleep(0.001)
        return ProtocolError("it closed its standard output", self.last_words())

    def _ready(self, writing: bool, timeout_s: float = _LOOK_S) -> List[int]:
        poll = select.poll()
        for fd in self._open:
            if fd != self._stdin:
                poll.register(fd, select.POLLIN)
            elif writing:
                poll.register(fd, select.POLLOUT)
        return [fd for fd, _ in poll.poll(timeout_s * 1000)]

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._stdin, self._unsent[:_READ_BYTES]) :]
        except BlockingIOError:
            pass
        except OSError:  # it reads no more: what it says and how it ends is what counts
            self._close(self._stdin)
            self._unsent = self._unsent[:0]

    def _read(self, fd: int) -> bytes:
        try:
            data = os.read(fd, _READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._close(fd)
        if fd == self._stderr and data:
            self._tail = (self._tail + data)[-_TAIL_BYTES:]
            if not self._own_group:
                _pass_on(data)
        return data

    def _has_ended(self, options: int = os.WNOHANG) -> bool:
        if self.status is not None:
            return True
        try:
            pid, raw, usage = os.wait4(self._popen.pid, options)
        except ChildProcessError:  # somebody else has
            pid, raw, usage = self._popen.pid, 0, None
        if not pid:
            return False
        self.status = -os.WTERMSIG(raw) if os.WIFSIGNALED(raw) else os.WEXITSTATUS(raw)
        self._popen.returncode = self.status
        if usage is not None:
            self.peak_bytes = usage.ru_maxrss * (1024 if _LINUX else 1)
        return True

    def _close(self, *fds: int) -> None:
        for fd in fds:
            stream = self._open.pop(fd, None)
            if stream is not None:
                stream.close()

    def _close_all(self) -> None:
        self.last_words()
        self._close(*self._open)


def resolved(command: Sequence[str], folder: str, settings: Mapping[str, Any]) -> List[str]:
    """Return a command's words as they are run: settings filled in, files with their full path."""
    values = {"folder": folder, **settings}

    def filled(word: str) -> str:
        return _PLACE.sub(lambda at: str(values.get(at.group(1), at.group())), word)

    program, rest = filled(command[0]), [filled(word) for word in command[1:]]
    if os.sep in program:
        program = os.path.join(folder, program)
    return [program, *(_full(word, folder) for word in rest)]


def end_like(status: int) -> None:
    """End this process with an exit status, or by the signal where it is negative."""
    sys.stderr.flush()
    if status < 0:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
        time.sleep(_CLOSING_S)
    os._exit(status & 0xFF)


def telling_line(words: str) -> str:
    """Return the line of a program's last words that says most: the first that names an error."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    naming = [line for line in lines if re.search(r"\b\w*(?:Error|Exception)\b|\berror\b", line)]
    return (naming or lines[-1:] or [""])[0][:200]


def _full(word: str, folder: str) -> str:
    path = os.path.join(folder, word)
    return path if word and not os.path.isabs(word) and os.path.isfile(path) else word


def _ending(status: int) -> str:
    if status >= 0:
        return "exited with status %d" % status
    try:
        return "was ended by %s" % signal.Signals(-status).name
    except ValueError:
        return "was ended by signal %d" % -status


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    cut = text[:_QUOTED_CHARS] + ("…" if len(text) > _QUOTED_CHARS else "")
    return repr(cut) if isinstance(value, str) else cut


def _quoted_bytes(line: bytes) -> str:
    return _quoted(line[: _QUOTED_CHARS * 4].decode("utf-8", "replace").rstrip())


def _one_line_of(said: bytes, is_unread: bool) -> bytes:
    """Return the one line that was written, or say why it is not one."""
    line, _, rest = said.partition(b"\n")
    if rest:
        _object(line)
        raise ProtocolError("it wrote more than one line in reply: %s" % _quoted_bytes(rest))
    if is_unread:
        raise ProtocolError("it replied before it had read the request")
    return line


def _object(line: bytes) -> Dict[str, Any]:
    """Parse one line of a program's standard output. Raises ``ProtocolError``."""
    try:
        value = json.loads(line.decode("utf-8"))
    except ValueError:
        raise ProtocolError(
            "a line on standard output is no JSON: %s; other output belongs on standard error"
            % _quoted_bytes(line)
        ) from None
    except RecursionError:
        raise ProtocolError("a line on standard output is nested too deeply") from None
    if not isinstance(value, dict):
        raise ProtocolError("a line on standard output is %s, no object" % _kind(value))
    return value


def _kind(value: Any) -> str:
    names = {"NoneType": "null", "bool": "a boolean", "list": "a list", "dict": "an object"}
    names.update(int="a number", float="a number", str="a string")
    return names.get(type(value).__name__, type(value).__name__)


def _pass_on(data: bytes) -> None:
    """Print a program's standard error on ours: the last words of a worker that is killed."""
    with contextlib.suppress(OSError):
        os.write(2, data)


def _widen(fd: int) -> None:
    """Let a pipe hold a page: fewer turns for each."""
    if _LINUX:
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, _SET_PIPE_SIZE, _READ_BYTES)


def _die_with_parent() -> None:
    """Run in the child: have the kernel kill it when the worker dies."""
    if _libc is not None:
        _libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
