"""Reads a page, prints its text, and sins on the page that says MISBEHAVE."""

import ctypes
import subprocess
import sys
import time

deed = sys.argv[1]
if deed == "deaf":  # to its input: never reads it
    print("text without reading")
    sys.exit()
html = sys.stdin.buffer.read()
if b"MISBEHAVE" in html:
    if deed == "exits":
        print("half a text")
        print("Traceback\nKeyError: 'body'", file=sys.stderr)
        sys.exit(3)
    elif deed == "segfault":
        print("last words", file=sys.stderr, flush=True)
        ctypes.string_at(0)
    elif deed == "hangs":
        time.sleep(1234)
    elif deed == "hangs_below":
        subprocess.run(["sleep", "1234"], check=False)
    elif deed == "forks":
        subprocess.Popen(["sleep", "1234"])  # which keeps the streams open
    elif deed == "endless":
        while True:
            sys.stdout.write("x" * 1_000_000)
    elif deed == "noisy":
        print("noise " * 700_000, file=sys.stderr, flush=True)
    elif deed == "invalid":
        sys.stdout.buffer.write(b"not UTF-8: \xff\xfe. ")
    elif deed == "silent":
        sys.exit()
    elif deed == "burns":
        end = time.process_time() + 0.15
        while time.process_time() < end:
            pass
    elif deed == "allocates":
        hoard = b"x" * (300 << 20)
        time.sleep(len(hoard))
    elif deed == "swells":
        hoard = b"x" * (100 << 20)
sys.stdout.buffer.write(html)
