"""Boilerpipe: the Java library itself, from the distribution's jar, in a Java process."""

from __future__ import annotations

from bench.worker.program import CommandExtractor


class Boilerpipe(CommandExtractor):
    """Shallow text features of blocks, by a decision tree (Kohlschütter et al. 2010).

    Kohlschütter, Fankhauser and Nejdl (2010), "Boilerplate Detection using Shallow Text Features",
    https://doi.org/10.1145/1718487.1718542. The same library as ``boilerpipe_java``, without R.
    """

    name = "boilerpipe"
    family = "boilerpipe"
    command = (
        "java",
        "-XX:-UsePerfData",  # it would write to /tmp
        "-cp",
        "/usr/share/java/boilerpipe.jar:/usr/share/java/nekohtml.jar:"
        "/usr/share/java/xercesImpl.jar:/usr/share/java/xml-apis.jar:/usr/share/java/gson.jar",
        "java/Boilerpipe.java",
    )
    variants = {
        "default": {"extractor": "ArticleExtractor"},
        "default-extractor": {"extractor": "DefaultExtractor"},
        "article-sentences": {"extractor": "ArticleSentencesExtractor"},
        "canola": {"extractor": "CanolaExtractor"},
        "keep-everything": {"extractor": "KeepEverythingExtractor"},
        "largest-content": {"extractor": "LargestContentExtractor"},
        "num-words-rules": {"extractor": "NumWordsRulesExtractor"},
    }
    homepage = "https://code.google.com/archive/p/boilerpipe/"
    settings_source = "https://code.google.com/archive/p/boilerpipe/wikis/QuickStart.wiki"
    licence = "Apache-2.0"
    parser = "NekoHTML"
    tuned_on = ("sigir:l3s-gn1=https://doi.org/10.1145/1718487.1718542",)
    remedy = "apt-get install default-jdk-headless libboilerpipe-java libgoogle-gson-java"
