"""The layout of seomoz/dragnet_data: comments cut off, old charsets, splits."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.datasets import readers
from bench.datasets.readers.base import GoldError, Reader
from tests.layouts import write


def opened(folder: Path, gold: bytes = b"x", corrected: str = "Corrected") -> Reader:
    write(folder / "HTML" / "R1.html", b"<p>n\xe9e</p>")
    write(folder / corrected / "R1.html.corrected.txt", gold)
    return readers.open_folder("dragnet-data", folder)


@pytest.mark.parametrize(
    "line",
    [
        "!@#$%^&*()  COMMENTS",
        "!@#$%^&*()  COMMENTS\r",
        "!@#$%^&*() \tCOMMENTS\t",
        # As seven of the published files have it.
        "!@#$%^&*   COMMENTS",
        "!!@#$%^&*()  COMMENTS",
        "!@#$%^&**()  COMMENTS",
        "!@#$%^&*()",
        "!@#$%^&*()  CORRECTED",
        "!@#$%$%^&*()  COMMENTS",
        "!@#$%^&*()  COMMNENTS",
    ],
)
def test_comments_are_no_part_of_the_gold(tmp_path: Path, line: str) -> None:
    gold = f"\n\nOne.\n\nTwo.\n\n\n{line}\n\n\nFirst!\n{line}\nSecond!".encode()
    assert opened(tmp_path, gold).read("R1").gold.text == "One.\n\nTwo."


@pytest.mark.parametrize(
    "text", ["One.", "He said !@#$%^&*() to me", "!@#$%^&*() is what he said", "COMMENTS", ""]
)
def test_what_is_no_such_line_stays(tmp_path: Path, text: str) -> None:
    assert opened(tmp_path, text.encode()).read("R1").gold.text == text


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_gold_in_old_charsets(tmp_path: Path, charset: str) -> None:
    gold = "“née”\n!@#$%^&*()  COMMENTS\nx".encode(charset)
    item = opened(tmp_path, gold).read("R1")
    assert item.gold.text == "“née”"
    assert item.page.html == b"<p>n\xe9e</p>"
    assert item.page.encoding is None


def test_splits_and_licence(tmp_path: Path) -> None:
    write(tmp_path / "training.txt", "R76\nR1\n")
    write(tmp_path / "test.txt", "R2\n")
    write(tmp_path / "LICENSE", "AGPL")
    reader = opened(tmp_path)
    assert dict(reader.read("R1").page.meta) == {"split": "training"}
    assert {"training.txt", "test.txt", "LICENSE"} <= set(map(str, reader.files()))


def test_the_folder_as_the_study_of_2023_unpacks_it(tmp_path: Path) -> None:
    assert list(opened(tmp_path, corrected="corrected/Corrected").ids) == ["R1"]


@pytest.mark.parametrize("missing", ["HTML", "Corrected"])
def test_another_layout_is_told(tmp_path: Path, missing: str) -> None:
    opened(tmp_path)
    (tmp_path / missing).rename(tmp_path / "elsewhere")
    with pytest.raises(GoldError, match=f"no folder {missing}"):
        readers.open_folder("dragnet-data", tmp_path)
