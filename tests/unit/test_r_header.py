"""The header of a .R adapter: parsed without R, and wrong ones say what is wrong."""

from __future__ import annotations

import pytest

from bench.adapters.r import describe as adapters
from bench.adapters.r import header

WHOLE = """\
#' toy: does as told (Doe 2020).
#'
#' More about it.
#'
#' @name toy
#' @requires toy>=1.0, other
#' @requires third
#' @accepts bytes
#' @variant first mode = "fast, or = not", depth = 3
#' @variant second loud = TRUE, quiet = FALSE, share = 0.5
#' @variant third
#' @homepage https://example.org/
#' @settings_source https://example.org/settings
#' @licence MIT
#' @needs java /usr/share/java/toy.jar
#' @debian r-cran-toy
#' @cran third

#' @name not the header any more
extract <- function(html, url) "text"
"""


def test_every_fact_is_read() -> None:
    found = header.parse(WHOLE)
    assert found.name == "toy"
    assert found.description == "toy: does as told (Doe 2020)."
    assert found.requires == ("toy>=1.0", "other", "third")
    assert found.accepts == "bytes"
    assert found.variants == {
        "first": {"mode": "fast, or = not", "depth": 3},
        "second": {"loud": True, "quiet": False, "share": 0.5},
        "third": {},
    }
    assert found.homepage == "https://example.org/"
    assert found.settings_source == "https://example.org/settings"
    assert found.licence == "MIT"
    assert found.r.needs == ("java", "/usr/share/java/toy.jar")
    assert found.r.debian == ("r-cran-toy",)
    assert found.r.cran == ("third",)


def test_a_name_and_a_function_are_enough() -> None:
    found = header.parse("#' It works.\n#' @name tiny\nextract <- function(html, url) html\n")
    assert (found.accepts, found.requires, found.variants) == ("str", (), {"default": {}})


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("extract <- function(html, url) html", "@name ''"),
        ("#' @name Wrong", "lowercase"),
        ("#' @name a\n#' @accepts gold", "@accepts 'gold'"),
        ("#' @name a\n#' @colour blue", "@colour"),
        ("#' @name a\n#' @requires ==3", "@requires"),
        ("#' @name a\n#' @variant x fast", "key = value"),
        ("#' @name a\n#' @variant x fast = yes", "no value"),
        ("#' @name a\n#' @variant x fast = [1]", "no string"),
        ("#' @name a\n#' @variant x fast = null", "no string"),
        ('#\' @name a\n#\' @variant x a = "1" b = "2"', "comma"),
    ],
)
def test_a_wrong_header_says_what_is_wrong(lines: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        header.parse(lines)


@pytest.mark.parametrize("path", adapters.files(), ids=lambda p: p.stem)
def test_every_adapter_that_ships_states_its_facts(path) -> None:
    found = adapters.read(path)
    assert found.name == path.stem
    assert found.description
    assert found.requires
    assert found.homepage.startswith("https://")
    assert found.settings_source.startswith("https://")
    assert found.licence
    assert found.r.debian or found.r.cran
    assert max(map(len, path.read_text(encoding="utf-8").splitlines())) <= 100


def test_every_adapter_file_is_found() -> None:
    assert {path.stem for path in adapters.files()} == {
        "rvest", "rcrawler", "htm2txt", "boilerpiper", "boilerpipe_java", "r_xml", "rselenium",
    }  # fmt: skip
