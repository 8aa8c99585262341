"""``--decode``: who turns a page's bytes into text, and that it is part of what a cell is known by."""

from __future__ import annotations

from bench.adapters import registry
from bench.adapters.adapter import Decode, Row
from bench.model import Gold, GoldPage, Limits, Page
from bench.runs.supervise import outside_a_run

LATIN = "<html><head><meta charset='iso-8859-1'></head><body><p>Der Bär aß Käse.</p></body></html>"


def text_of(row: Row, page: Page) -> str:
    """Return what a real worker makes of a page."""
    with outside_a_run("bench-test-decode", Limits()) as worker_of:
        worker = worker_of(row)
        worker.start(warm_up=False)
        return worker.extract(row.handed(GoldPage(page, Gold(None))), page.url, page.encoding).text


def test_the_library_decodes_where_its_documentation_has_it_do_so() -> None:
    (row,) = registry.rows(["beautifulsoup:lxml"])
    page = Page("p", LATIN.encode("latin-1"))
    for who in ("", "harness", "library"):
        assert text_of(row.decoded_by(who), page) == "Der Bär aß Käse."


def test_who_decodes_is_part_of_the_key() -> None:
    (row,) = registry.rows(["justext"])
    choices: tuple[Decode, ...] = ("", "harness", "library")
    assert len({row.decoded_by(who).key for who in choices}) == 3
    assert row.decoded_by("").key == row.key


def test_what_takes_bytes_alone_is_handed_the_harness_s_text_with_a_mark() -> None:
    (row,) = registry.rows(["xpath"])
    assert not row.adapter.facts.takes_bytes
    assert row.decoded_by("library").load_request == row.load_request
    (row,) = registry.rows(["libextract"])
    page = GoldPage(Page("p", LATIN.encode("latin-1")), Gold(None))
    assert row.handed(page) == LATIN.encode("latin-1")
    assert row.decoded_by("harness").handed(page) == b"\xef\xbb\xbf" + LATIN.encode()
