"""Archives that a stranger made: what is unpacked, and what is refused without a trace."""

from __future__ import annotations

import gzip
import io
import os
import random
import stat
import struct
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets import catalogue
from bench.datasets.fetch import archive, install
from bench.datasets.fetch.archive import MIB, ArchiveError
from bench.datasets.readers.base import GoldError

AEB = b'{"x": {"articleBody": "Text", "url": "https://example.org/"}}'
PAGE = gzip.compress(b"<p>Text</p>")
SOUND = {"ground-truth.json": AEB, "html/x.html.gz": PAGE}
KINDS = ("zip", "tar", "tar.gz", "tar.bz2", "tar.xz")
MODES = {"tar": "w", "tar.gz": "w:gz", "tar.bz2": "w:bz2", "tar.xz": "w:xz"}

Entry = tuple[str, bytes | tarfile.TarInfo | zipfile.ZipInfo]


def pack(path: Path, kind: str, entries: list[Entry]) -> Path:
    """Write members as they are, whatever a careful program would say to it."""
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, what in entries:
                if isinstance(what, zipfile.ZipInfo):
                    packed.writestr(what, b"content")
                elif isinstance(what, bytes):
                    info = zipfile.ZipInfo("x")
                    info.filename, info.compress_type = name, zipfile.ZIP_DEFLATED
                    info.external_attr = 0o644 << 16
                    packed.writestr(info, what)
        return path
    with tarfile.open(path, MODES[kind]) as packed_tar:
        for name, what in entries:
            if isinstance(what, tarfile.TarInfo):
                packed_tar.addfile(what)
            elif isinstance(what, bytes):
                info = tarfile.TarInfo(name)
                info.size = len(what)
                packed_tar.addfile(info, io.BytesIO(what))
    return path


def sound(more: list[Entry] | None = None) -> list[Entry]:
    return [*SOUND.items(), *(more or [])]


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None
        for p in folder.rglob("*")
    }


def special(kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo("special")
    info.type, info.linkname = kind, target
    return info


def zip_special(mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("special")
    info.create_system, info.external_attr = 3, (mode | 0o644) << 16
    return info


# -- what is unpacked -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_archive(tmp_path: Path, kind: str) -> None:
    path = pack(tmp_path / "packed", kind, sound([("html/ünï 提灯.txt", b"x"), ("./a/b", b"")]))
    assert archive.kind(path) == kind
    written = archive.unpack(path, tmp_path / "out", kind)
    assert {k: v for k, v in tree(tmp_path / "out").items() if v is not None} == {
        **SOUND, "html/ünï 提灯.txt": b"x", "a/b": b"",
    }  # fmt: skip
    assert written == sum(map(len, SOUND.values())) + 1


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_a_part_of_an_archive(tmp_path: Path, kind: str) -> None:
    """As a repository's: one folder on top, and much that is not needed, links too."""
    entries: list[Entry] = [(f"repo-1/{name}", data) for name, data in SOUND.items()]
    entries.append(("repo-1/output/huge.json", b"no"))
    entries.append(("repo-1/htmlx/y", b"no"))
    link = special(tarfile.SYMTYPE, "/etc/passwd") if kind != "zip" else zip_special(stat.S_IFLNK)
    link_name = "repo-1/link"
    if isinstance(link, tarfile.TarInfo):
        link.name = link_name
    else:
        link.filename = link_name
    path = pack(tmp_path / "packed", kind, [*entries, ("", link)])
    only = ("ground-truth.json", "html/")
    archive.unpack(path, tmp_path / "out", kind, strip=1, only=only)
    assert {k: v for k, v in tree(tmp_path / "out").items() if v is not None} == SOUND
    with pytest.raises(ArchiveError, match="is a link"):
        archive.unpack(path, tmp_path / "all", kind, strip=1)
    with pytest.raises(ArchiveError, match="holds no file below absent/"):
        archive.unpack(path, tmp_path / "none", kind, only=("absent/",))


def test_modes_and_times_are_not_taken_over(tmp_path: Path) -> None:
    info = tarfile.TarInfo("program")
    info.mode, info.mtime = 0o4777, 1
    path = pack(tmp_path / "packed.tar", "tar", [("", info), ("x", b"x")])
    archive.unpack(path, tmp_path / "out", "tar")
    found = (tmp_path / "out" / "program").stat()
    assert found.st_mode & 0o7111 == 0
    assert found.st_mtime > 1e9


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"PK", b"<html>", b"\x1f\x8b", gzip.compress(b"no tar", mtime=0), bytes(1024)],
    ids=range(7),  # the same in every worker
)
def test_what_is_no_archive(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    if content == b"\x1f\x8b":
        with pytest.raises(GoldError, match="cannot be read"):
            archive.kind(path)
    else:
        assert archive.kind(path) == ""
    with pytest.raises(GoldError):
        archive.unpack(path, tmp_path / "out", "zip")


# -- what is refused ------------------------------------------------------------------------

NAMES = {
    "absolute": ("/tmp/evil", "absolute"),
    "parent": ("../evil", "leads out"),
    "parent further on": ("html/../../evil", "leads out"),
    "parent at the end": ("html/..", "leads out"),
    "drive": ("C:/evil", "Windows"),
    "drive without slash": ("C:evil", "Windows"),
    "stream": ("html/x.html.gz:evil", "Windows"),
    "backslash": ("html\\..\\..\\evil", "Windows"),
    "share": ("\\\\server\\share", "Windows"),
    "NUL": ("evil\0.txt", "no plain name|damaged|leads"),
    "newline": ("evil\n", "no plain name"),
    "escape": ("evil\x1b[2J", "no plain name"),
    "long": ("e" * 300, "too long"),
    "deep": ("d/" * 40 + "evil", "too deep"),
    "dots": ("html/.../evil", "no plain name"),
    "blank": ("html/ /evil", "no plain name"),
    "twice": ("ground-truth.json", "takes the place"),
    "other case": ("GROUND-truth.json", "takes the place"),
    "folder in other case": ("HTML/y", "takes the place"),
    "trailing dot": ("ground-truth.json.", "takes the place"),
    "file below a file": ("ground-truth.json/evil", "takes the place"),
}


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
@pytest.mark.parametrize("what", NAMES)
def test_a_name_that_is_no_plain_path(tmp_path: Path, kind: str, what: str) -> None:
    name, reason = NAMES[what]
    if kind != "zip" and "\0" in name:
        pytest.skip("tar ends a name there")
    refused(tmp_path, pack(tmp_path / "packed", kind, sound([(name, b"evil")])), reason)


def test_names_that_are_one_in_another_unicode_form(tmp_path: Path) -> None:
    path = pack(tmp_path / "packed", "zip", sound([("caf\u00e9", b"1"), ("cafe\u0301", b"2")]))
    refused(tmp_path, path, "takes the place")


def test_a_name_in_no_encoding(tmp_path: Path) -> None:
    path = pack(tmp_path / "packed", "tar", sound([("caf\udce9", b"x")]))
    refused(tmp_path, path, "no plain name")


TAR_MEMBERS = {
    "symbolic link": (special(tarfile.SYMTYPE, "/etc/passwd"), "is a link"),
    "link within": (special(tarfile.SYMTYPE, "ground-truth.json"), "is a link"),
    "hard link": (special(tarfile.LNKTYPE, "ground-truth.json"), "is a link"),
    "pipe": (special(tarfile.FIFOTYPE), "device or a pipe"),
    "character device": (special(tarfile.CHRTYPE), "device or a pipe"),
    "block device": (special(tarfile.BLKTYPE), "device or a pipe"),
    "sparse": (special(tarfile.GNUTYPE_SPARSE), "no plain file|damaged"),
    "unknown type": (special(b"Z"), "no plain file"),
}


@pytest.mark.parametrize("what", TAR_MEMBERS)
def test_a_member_of_a_tar_that_is_no_file(tmp_path: Path, what: str) -> None:
    info, reason = TAR_MEMBERS[what]
    refused(tmp_path, pack(tmp_path / "packed", "tar.gz", sound([("", info)])), reason)


def test_a_link_and_a_file_through_it(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = special(tarfile.SYMTYPE, str(outside))
    path = pack(tmp_path / "packed", "tar", [("", link), ("special/evil", b"x"), *SOUND.items()])
    refused(tmp_path, path, "is a link")


@pytest.mark.parametrize(
    ("mode", "reason"),
    [(stat.S_IFLNK, "is a link"), (stat.S_IFIFO, "pipe"), (stat.S_IFCHR, "device"),
     (stat.S_IFBLK, "device"), (stat.S_IFSOCK, "device")],
)  # fmt: skip
def test_a_member_of_a_zip_that_is_no_file(tmp_path: Path, mode: int, reason: str) -> None:
    path = pack(tmp_path / "packed", "zip", sound([("", zip_special(mode))]))
    refused(tmp_path, path, reason)


def test_an_encrypted_member(tmp_path: Path) -> None:
    path = pack(tmp_path / "packed", "zip", list(SOUND.items()))
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(bytes(data))
    refused(tmp_path, path, "is encrypted")


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.xz"])
def test_a_bomb(tmp_path: Path, kind: str) -> None:
    path = pack(tmp_path / "packed", kind, sound([("bomb", bytes(64 * MIB))]))
    assert path.stat().st_size < MIB
    refused(tmp_path, path, "times its size, as only a bomb does")


def test_a_bomb_in_what_is_left_out(tmp_path: Path) -> None:
    path = pack(tmp_path / "packed", "tar.gz", [("bomb", bytes(64 * MIB)), *SOUND.items()])
    with pytest.raises(ArchiveError, match="as only a bomb does"):
        archive.unpack(path, tmp_path / "out", "tar.gz", only=("html/",))


def test_a_sparse_member_that_is_left_out(tmp_path: Path) -> None:
    """It would say that it is a petabyte of nothing, and be read for ever."""
    hole = tarfile.TarInfo("hole")
    hole.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(2**50)}
    path = pack(tmp_path / "packed", "tar", [("", hole), *SOUND.items()])
    archive.unpack(path, tmp_path / "out", "tar", only=("html/",))
    with pytest.raises(ArchiveError, match="no plain file"):
        archive.unpack(path, tmp_path / "all", "tar")


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_limits(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = random.Random(0).randbytes(3 * MIB)
    path = pack(tmp_path / "packed", kind, [(f"{i}", noise[i::3]) for i in range(3)])
    monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
    monkeypatch.setattr(archive, "MOST_BYTES", 4 * MIB)
    archive.unpack(path, tmp_path / "a", kind)
    monkeypatch.setattr(archive, "MOST_BYTES", 2 * MIB)
    with pytest.raises(ArchiveError, match="more than 2 MiB"):
        archive.unpack(path, tmp_path / "b", kind)
    monkeypatch.setattr(archive, "MOST_MEMBERS", 2)
    monkeypatch.setattr(archive, "MOST_BYTES", 4 * MIB)
    with pytest.raises(ArchiveError, match="more than 2 members"):
        archive.unpack(path, tmp_path / "c", kind)


def test_a_zip_that_lies_about_sizes(tmp_path: Path) -> None:
    path = pack(tmp_path / "packed", "zip", [("bomb", bytes(8 * MIB))])
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 10)
    path.write_bytes(bytes(data))
    with pytest.raises(ArchiveError, match="damaged"):
        archive.unpack(path, tmp_path / "out", "zip")
    assert sum(p.stat().st_size for p in (tmp_path / "out").iterdir()) <= 10


def test_a_tar_header_that_is_a_bomb(tmp_path: Path) -> None:
    """The library reads long names into memory whole."""
    info = tarfile.TarInfo("long")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 512 * MIB
    packed = tmp_path / "packed"
    with gzip.open(packed, "wb") as file:
        file.write(info.tobuf() + bytes(MIB))
    with pytest.raises(ArchiveError, match="header that is too long"):
        archive.unpack(packed, tmp_path / "out", "tar.gz")


def test_tar_headers_without_end(tmp_path: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 0
    (tmp_path / "packed").write_bytes(info.tobuf() * 10_000)
    with pytest.raises(ArchiveError):
        archive.unpack(tmp_path / "packed", tmp_path / "out", "tar")


def test_a_zip_with_a_huge_directory(tmp_path: Path) -> None:
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, 40 * MIB, 0, 0)
    with (tmp_path / "packed").open("wb") as file:
        file.truncate(40 * MIB)
        file.seek(0, os.SEEK_END)
        file.write(end)
    with pytest.raises(ArchiveError, match="directory is too large"):
        archive.unpack(tmp_path / "packed", tmp_path / "out", "zip")


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_cut_short(tmp_path: Path, kind: str) -> None:
    noise = random.Random(0).randbytes(300_000)
    path = pack(tmp_path / "packed", kind, [*SOUND.items(), ("noise", noise)])
    whole = path.read_bytes()
    for at in (600, len(whole) // 2, len(whole) - (21_000 if kind == "tar" else 30)):
        path.write_bytes(whole[:at])
        with pytest.raises(ArchiveError):
            archive.unpack(path, tmp_path / f"out-{at}", kind)


def test_an_archive_onto_files_that_are_there(tmp_path: Path) -> None:
    """The two archives of one data set must not hold the same file."""
    path = pack(tmp_path / "packed", "zip", list(SOUND.items()))
    archive.unpack(path, tmp_path / "out", "zip")
    with pytest.raises(ArchiveError, match="is there already"):
        archive.unpack(path, tmp_path / "out", "zip")


def refused(tmp_path: Path, path: Path, reason: str) -> None:
    """Hold that an archive is refused, alone and as a data set, and that nothing is left of it."""
    packed = archive.kind(path)
    before = tree(tmp_path)
    with tempfile.TemporaryDirectory(dir=tmp_path) as out:
        with pytest.raises(ArchiveError, match=reason):
            archive.unpack(path, Path(out) / "in", packed)
        assert {p.name for p in Path(out).iterdir()} <= {"in"}
    assert tree(tmp_path) == before
    assert not Path("/tmp/evil").exists()
    _, root = catalogue.find_card("aeb")
    with pytest.raises(GoldError, match=reason) as caught:
        install.add("aeb", path)
    assert str(path) in str(caught.value)
    assert list(root.parent.iterdir()) == []
    assert tree(tmp_path) == before


# -- anything at all ------------------------------------------------------------------------

AWKWARD = st.text(
    st.sampled_from("ab./\\:AÀ\u0300 \0\n\x7f~*|提") | st.characters(codec="utf-8"), max_size=12
)


@given(st.lists(st.tuples(AWKWARD, st.binary(max_size=20)), max_size=6), st.sampled_from(KINDS))
def test_whatever_the_names_nothing_is_written_outside(
    entries: list[tuple[str, bytes]], kind: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        # The library that packs cannot write a zip member without a name.
        path = pack(top / "packed", kind, [e for e in entries if e[0] or kind != "zip"])
        into = top / "out" / "in"
        into.mkdir(parents=True)
        try:
            written = archive.unpack(path, into, kind)
        except ArchiveError:
            written = -1
        assert {p.name for p in top.iterdir()} == {"packed", "out"}
        assert {p.name for p in (top / "out").iterdir()} == {"in"}
        files = [p for p in into.rglob("*") if not p.is_dir()]
        assert not any(p.is_symlink() for p in files)
        if written >= 0:
            # Less than everything only where a name says folder: "", ".", "a/".
            plain = Counter(data for name, data in entries if name.strip("./"))
            assert Counter(p.read_bytes() for p in files) <= plain


def mutated(make: Callable[[Path], Path]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return make(Path(folder) / "packed").read_bytes()


WHOLE = {
    kind: mutated(lambda path, kind=kind: pack(path, kind, sound([("more", b"more" * 99)])))  # type: ignore[misc]
    for kind in KINDS
}


@given(
    st.sampled_from(KINDS),
    st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), min_size=1, max_size=20),
)
def test_a_damaged_archive_is_refused_or_unpacked_and_nothing_else(
    kind: str, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(WHOLE[kind])
    for at, value in changes:
        data[at % len(data)] = value
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "packed"
        path.write_bytes(bytes(data))
        try:
            archive.kind(path)
            archive.unpack(path, Path(folder) / "out", kind)
        except GoldError:
            pass
        assert {p.name for p in Path(folder).iterdir()} <= {"packed", "out"}
