"""Changes directory, locale, mask and environment, leaves files, removes its own home."""

from __future__ import annotations

import locale
import os
import shutil
import tempfile
from pathlib import Path

from bench.extractor import Extractor


class Moves(Extractor):
    name = "moves"
    variants = {"away": {"removes": False}, "homeless": {"removes": True}}  # noqa: RUF012

    def load(self, removes: bool) -> None:
        self._removes = removes

    def extract(self, html: str, url: str | None) -> str:
        where = Path.cwd()
        if not self._removes and where != Path(os.environ["HOME"]):
            raise RuntimeError(f"began in {where}")
        os.chdir("/")
        os.umask(0o777)
        locale.setlocale(locale.LC_ALL, "C")
        if self._removes:
            shutil.rmtree(os.environ["HOME"], ignore_errors=True)
        else:
            tempfile.mkdtemp()
            os.close(tempfile.mkstemp()[0])
        os.environ["PATH"] = "/nowhere"
        return html
