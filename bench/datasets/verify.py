"""``bench gold verify``: is the data set what its card says, and is each page fit for use?"""

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field

from bench.datasets import fingerprint
from bench.datasets.catalogue import DataSet
from bench.datasets.readers.base import GoldError
from bench.worker.decode import charset


@dataclass
class Verification:
    """What was found, one list of lines per kind of finding."""

    name: str
    pages: int
    fingerprint: str | None = None
    expected: str = ""
    findings: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def faulty(self) -> bool:
        """Whether the data set is not fit for use as it is: damaged, or not what was published."""
        faults = {kind for kind in FAULTS if self.findings.get(kind)}
        # Pages without gold that were published so are no fault of the copy.
        as_published = bool(self.expected) and self.fingerprint == self.expected
        return bool(faults - {"pairs"} if as_published else faults)


FAULTS = ("fingerprint", "pairs", "unreadable")
"""Kinds of finding that make a data set faulty; the others are properties of it worth knowing."""


def verify(data_set: DataSet) -> Verification:
    """Read every page and report what is wrong or odd. Never raises for a damaged page."""
    report = Verification(data_set.name, len(data_set), expected=data_set.card.fingerprint)
    report.findings["pairs"].extend(data_set.reader.problems)
    same: dict[bytes, list[str]] = defaultdict(list)
    for page_id in data_set.ids:
        try:
            item = data_set.read(page_id)
        except GoldError as error:
            report.findings["unreadable"].append(str(error))
            continue
        same[hashlib.sha256(item.page.html).digest()].append(page_id)
        if item.gold.text is not None and not item.gold.text.strip():
            report.findings["empty gold"].append(page_id)
        codec, skip = charset(item.page.html, item.page.encoding)
        try:
            item.page.html[skip:].decode(codec)
        except UnicodeDecodeError as error:
            report.findings["undecodable bytes"].append(f"{page_id}: {error}")
    report.findings["duplicates"] += [" = ".join(ids) for ids in same.values() if len(ids) > 1]
    if not report.findings["unreadable"]:
        report.fingerprint = fingerprint.of_reader(data_set.reader, afresh=True).fingerprint
        if report.expected and report.fingerprint != report.expected:
            report.findings["fingerprint"].append(
                f"the content is {report.fingerprint[:16]}…, the card says {report.expected[:16]}…"
            )
    return report
