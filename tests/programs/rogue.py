"""Speaks the protocol, and sins on the page that says MISBEHAVE (or while it loads)."""

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def load(deed, request):
    greeting = {"protocol": 1, "name": "rogue", "version": "1.2", "packages": ["inner==3"]}
    if deed == "load_exits":
        print("  at line 3\nValueError: no model here\n  at line 4", file=sys.stderr)
        sys.exit(4)
    if deed == "load_hangs":
        time.sleep(1234)
    if deed == "load_prints":
        print("Listening on port 80")
    if deed == "load_refuses":
        return {"error": "no such model\nsecond line"}
    if deed == "load_protocol":
        greeting["protocol"] = 99
    if deed == "load_nameless":
        del greeting["name"]
    if deed == "load_version":
        greeting["version"] = "9.9"
    if deed == "load_list":
        return [1, 2]
    assert request["accepts"] == "str"
    return greeting


def sin(deed, request):
    reply = {"id": request["id"], "text": request["html"]}
    if deed == "hangs":
        time.sleep(1234)
    elif deed == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1234)
    elif deed == "stopped":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif deed == "session":
        os.setsid()
        time.sleep(1234)
    elif deed == "garbage":
        print("Parsing page…")
    elif deed == "endless":
        while True:
            sys.stdout.write("x" * 1_000_000)
    elif deed == "much":
        reply["text"] = "word " * 2_000_000
    elif deed == "segfault":
        print("last words", file=sys.stderr, flush=True)
        ctypes.string_at(0)
    elif deed == "exits":
        print("last words", file=sys.stderr, flush=True)
        os._exit(3)
    elif deed == "exits_0":
        os._exit(0)
    elif deed == "wrong_id":
        reply["id"] = 77
    elif deed == "no_id":
        del reply["id"]
    elif deed == "twice":
        sys.stdout.write(json.dumps(reply) + "\n")
    elif deed == "number":
        reply["text"] = 7
    elif deed == "no_text":
        del reply["text"]
    elif deed == "says_error":
        return {"id": request["id"], "error": "TypeError: x is undefined\n    at extract.js:7"}
    elif deed == "surrogate":
        reply["text"] = "before \ud83d after"
    elif deed == "nested":
        sys.stdout.write("[" * 200_000 + "\n")
        sys.stdout.flush()
        time.sleep(1234)
    elif deed == "binary":
        sys.stdout.buffer.write(b"\xff\xfe\x00\n")
        sys.stdout.flush()
        time.sleep(1234)
    elif deed == "closes":
        os.close(1)
        time.sleep(1234)
    elif deed == "forks":
        subprocess.Popen(["sleep", "1234"])
    elif deed == "forks_away":
        if os.fork() == 0:
            os.setsid()
            os.execve("/bin/sleep", ["sleep", "1234"], {})
    elif deed == "dies_with_child":
        subprocess.Popen(["sleep", "1234"])  # which keeps the streams open
        os._exit(5)
    elif deed == "garbage_with_child":
        subprocess.Popen(["sleep", "1234"])
        print("no JSON")
    elif deed == "allocates":
        hoard = b"x" * (300 << 20)
        time.sleep(len(hoard))
    elif deed == "noisy":
        print("noise " * 700_000, file=sys.stderr, flush=True)
    elif deed == "connects":
        for _ in range(3):
            with contextlib.suppress(OSError):
                socket.create_connection(("192.0.2.1", 80), timeout=1)  # TEST-NET-1 (RFC 5737)
    elif deed == "burns":
        end = time.process_time() + 0.15
        while time.process_time() < end:
            pass
    return reply


def main():
    deed = ""
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "load":
            deed = request["settings"].get("deed", "")
            send(load(deed, request))
        elif "MISBEHAVE" in request["html"]:
            send(sin(deed, request))
        else:
            send({"id": request["id"], "text": request["html"]})


main()
