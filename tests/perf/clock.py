"""Wall and CPU time of what is measured: on a busy machine the second says more."""

import resource
import time


class Clock:
    """Runs from when it is made."""

    def __init__(self) -> None:
        self._began, self._spent_s = time.perf_counter(), _cpu_s()

    @property
    def wall_s(self) -> float:
        """Seconds since then."""
        return time.perf_counter() - self._began

    @property
    def cpu_s(self) -> float:
        """CPU seconds since then, of this process and of all that it has waited for."""
        return _cpu_s() - self._spent_s


def _cpu_s() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(own.ru_utime + own.ru_stime for own in used)
