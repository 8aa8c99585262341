"""Method and provenance: formulas, the data set's card, the manifest, the warnings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bench.report import sentences
from bench.report.site.evidence import Evidence
from bench.util.display import plain

_ELSEWHERE = {"rows", "packages", "warnings", "gold", "determinism"}
_LONGEST = 2000


def facts(evidence: Evidence) -> dict[str, Any]:
    """Return what the page shows."""
    card = evidence.pages.data_set.card
    manifest = evidence.manifest
    return {
        "board": evidence.board,
        "method": sentences.method(evidence.board),
        "notes": sentences.notes(evidence.board),
        "not_run": sentences.not_run(evidence.board),
        "metrics": [each.metric for each in evidence.scores],
        "card": [
            ("name", plain(card.name)),
            ("title", plain(card.title)),
            ("description", plain(card.description)),
            ("licence", plain(card.licence)),
            ("to cite", plain(card.citation)),
            ("source", plain(card.source)),
            ("revision", plain(card.revision)),
            ("version", plain(card.version)),
            ("pages in this run", f"{len(evidence.pages.ids):,}"),
            ("fingerprint in this run", plain(manifest.gold.fingerprint)),
            ("fingerprint as published", plain(card.fingerprint)),
            ("left out", _left_out(manifest.gold.left_out)),
        ],
        "manifest": [
            (name, _shown(value))
            for name, value in manifest.to_json().items()
            if name not in _ELSEWHERE
        ],
        "packages": [(plain(package), "") for package in manifest.packages],
        "rows": evidence.rows,
    }


def _left_out(reasons: Mapping[str, str]) -> str:
    return "; ".join(f"{plain(page)}: {plain(why)}" for page, why in reasons.items())[:_LONGEST]


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    return text[:_LONGEST] + ("…" if len(text) > _LONGEST else "")
