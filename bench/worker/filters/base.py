"""What a filter is: a text in, a text out.

Standard library and Python 3.7 only: filters run inside the worker, after ``extract``.
"""

from __future__ import annotations


class Filter:
    """One step of cleaning. A file in ``bench/worker/filters`` holds one and is found by its name."""

    name: str = ""
    """What users type after the plus; the file's name."""

    def apply(self, text: str) -> str:
        """Return the text cleaned; time linear in its length."""
        raise NotImplementedError
