"""What installs packages ends at once when the user stops it."""

import sys
import threading
import time

import pytest

from bench.adapters.environments import installer
from bench.adapters.environments.installer import Stopped

# Its child is another process, which must not be left behind either.
SLEEPS = (
    "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
)


def test_an_interrupt_ends_what_other_threads_run() -> None:
    ended: list[type[BaseException]] = []

    def work() -> None:
        try:
            installer.run([sys.executable, "-c", SLEEPS], timeout=60)
        except BaseException as error:
            ended.append(type(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    began = time.monotonic()

    def interrupted() -> None:
        with installer.stopping_together():
            for thread in threads:
                thread.start()
            while len(installer._running) < len(threads):
                time.sleep(0.01)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    try:
        with pytest.raises(Stopped):
            installer.run([sys.executable, "-c", "print(1)"], timeout=60)
        for thread in threads:
            thread.join(30)
    finally:
        installer.go_on()
    assert ended == [Stopped, Stopped]
    assert time.monotonic() - began < 30
    assert installer.run([sys.executable, "-c", "print(1)"], timeout=60).stdout == "1\n"
