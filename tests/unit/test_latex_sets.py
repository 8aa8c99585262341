"""The LaTeX that we write is set by a real LaTeX, without an error and without a line too wide."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"
PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\usepackage{graphicx}
\renewcommand{\includegraphics}[2][]{\rule{\linewidth}{1pt}}
\begin{document}
\input{text}
\end{document}
"""


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="LaTeX (pdflatex) is not installed")
@pytest.mark.parametrize("name", ["leaderboard.tex", "thesis.tex"])
def test_golden_documents_are_set(name: str, tmp_path: Path) -> None:
    shutil.copy(GOLDEN / name, tmp_path / "text.tex")
    (tmp_path / "whole.tex").write_text(PREAMBLE, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "whole.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    wide = [line for line in done.stdout.splitlines() if line.startswith("Overfull \\hbox")]
    assert all(float(line.split("(")[1].split("pt")[0]) < 20 for line in wide), wide
