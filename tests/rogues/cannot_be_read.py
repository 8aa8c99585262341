"""Does not even import."""

from __future__ import annotations

raise RuntimeError("a broken adapter file")
