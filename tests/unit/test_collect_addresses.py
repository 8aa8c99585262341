"""Addresses of ``bench collect``: one spelling, whose they are, which IP addresses are public."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.collect import addresses
from bench.collect.downloading import is_public
from bench.model import BenchError


@pytest.mark.parametrize(
    ("address", "spelling"),
    [
        ("HTTP://Example.ORG:80", "http://example.org/"),
        ("https://example.org:443/a?b=2&a=1#c", "https://example.org/a?a=1&b=2"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("http://example.org/a b/ñ?q=ü", "http://example.org/a%20b/%C3%B1?q=%C3%BC"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://example.org/a;jsessionid=1F?x=1", "http://example.org/a?x=1"),
        ("http://example.org/?PHPSESSID=1&utm_source=x&a=1", "http://example.org/?a=1"),
        ("http://example.org./", "http://example.org/"),
        ("http://[::1]:8000/", "http://[::1]:8000/"),
        ("http://example.org/%7Ea/%2e%2e/b", "http://example.org/b"),
    ],
)
def test_an_address_has_one_spelling(address: str, spelling: str) -> None:
    assert addresses.canonical(address) == spelling
    assert addresses.canonical(spelling) == spelling


@pytest.mark.parametrize(
    "address",
    [
        "", "/a", "ftp://example.org/", "javascript:go()", "mailto:a@example.org", "http://",
        "http://me:word@example.org/", "http://[::1/", "http://exa mple.org/", "http://a.example:x/",
        "http://example.org/" + "a/" * 30, "http://example.org/" + "x" * 3000,
        "http://example.org/a/b/a/b/a/b/a/b/", "http://a.example:99999/", "data:text/html,x",
    ],
)  # fmt: skip
def test_what_cannot_be_fetched_has_none(address: str) -> None:
    assert addresses.canonical(address) is None


@given(st.text(max_size=200))
def test_links_of_any_kind_are_harmless(link: str) -> None:
    url = addresses.canonical(link, "http://example.org/a/")
    if url is not None:
        assert url.isascii()
        assert url.isprintable()
        assert url.startswith(("http://", "https://"))
        assert addresses.canonical(url) == url


LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
PLAIN = st.builds(
    lambda scheme, labels, port, path: f"{scheme}://{'.'.join(labels)}{port}/{path}",
    st.sampled_from(["http", "https"]),
    st.lists(LABELS, min_size=1, max_size=4),
    st.sampled_from(["", ":80", ":443", ":8000", ":60999", ":65536", ":99999"]),
    st.text("aB1_.-/", max_size=20),
)


@given(PLAIN)
def test_the_short_way_leads_where_the_long_one_does(url: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(addresses, "_PLAIN", re.compile(r"\b\B"))
        long = addresses.canonical(url)
    assert addresses.canonical(url) == long


def test_hosts_below_a_site() -> None:
    sites = {"example.org"}
    assert addresses.on_site("example.org", sites, subdomains=False)
    assert not addresses.on_site("www.example.org", sites, subdomains=False)
    assert addresses.on_site("www.example.org", sites, subdomains=True)
    assert not addresses.on_site("badexample.org", sites, subdomains=True)


def test_shapes() -> None:
    url = "http://a.example/news/2026/11/a-title.html?page=2&id=7"
    assert addresses.template(url) == "a.example/news/#/#/*.html?id&page"
    assert addresses.series(url) == "a.example/news/#/#/a-title.html?id&page"
    assert addresses.series("http://a.example/news/a-title.html") == ""
    assert addresses.folder(url) == "a.example/news/2026/11/"


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True), ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False), ("10.0.0.1", False), ("169.254.169.254", False), ("0.0.0.0", False),
        ("100.64.0.1", False), ("192.168.1.1", False), ("224.0.0.1", False), ("::1", False),
        ("fe80::1%eth0", False), ("fd00::1", False), ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True), ("64:ff9b::a00:1", False), ("2002:7f00:1::", False),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False),
    ],
)  # fmt: skip
def test_addresses_of_the_public_internet(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_without_scrapy_there_is_a_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "w3lib.url", None)
    with pytest.raises(BenchError, match=r"pip install 'extractor-bench\[collect\]'"):
        addresses.canonical("http://example.org/")
