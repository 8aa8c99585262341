"""vote: keeps the words of the page that most of five extractors have in their texts."""

from __future__ import annotations

from bench.methods.ensembles.vote import Vote


class MajorityVote(Vote):
    """Keeps the words of the page that most of its members have, by 5-grams of words.

    Bevendorff et al. (2023), "An Empirical Comparison of Web Content Extraction Algorithms",
    https://doi.org/10.1145/3539618.3591920: its ensemble "Best only", and "Best weighted", of those
    members that need no environment of their own (boilerpy3 stands in for boilerpipe). html_text
    gives the words of the page and has no vote. docs/ensembles.md says how to make another.
    """

    name = "vote"
    members = ("html_text", "boilerpy3", "goose3", "justext", "readability", "trafilatura")
    variants = {
        "default": {},
        "weighted": {"weights": {"goose3": 2, "readability": 2, "trafilatura": 2}},
    }
    homepage = "https://github.com/chatnoir-eu/web-content-extraction-benchmark"
    settings_source = "https://doi.org/10.1145/3539618.3591920"
