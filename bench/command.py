"""Deprecated: ``CommandExtractor`` lives in ``bench.worker.program``."""

from __future__ import annotations

from bench.worker.program import CommandExtractor

__all__ = ["CommandExtractor"]
