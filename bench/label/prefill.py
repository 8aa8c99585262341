"""An extractor's text as marks on a page: a draft for a person to correct, and recorded as one."""

from bench.label import labels
from bench.label.labels import ElementMark, Mark, RangeMark
from bench.label.text import PARTS, painted
from bench.label.tree import Tree
from bench.report.text_diff import SAME, spans

_SHARE = 0.5
"""Share of a text node's letters that the extractor returned, from which on it is marked."""


def marks_of(tree: Tree, text: str) -> list[Mark]:
    """Return marks on the largest elements all of whose text was returned, in the page's order.

    The page's visible words and the extractor's are aligned by their longest common subsequence.
    """
    whole = labels.quoted(ElementMark(part="main", node=0), tree) if tree.letters else None
    if whole is None:
        return []
    visible = painted(tree, labels.claims([whole], tree))
    shown = "".join(
        c if PARTS[part] == "main" else " " for c, part in zip(tree.text, visible, strict=True)
    )
    pieces = [shown[node.start : node.end] for node in tree.nodes if not node.name]
    returned = bytearray()
    for kind, words in spans(text, " ".join(pieces)):
        if kind in (SAME, "surplus"):
            returned += bytes([kind == SAME]) * len(words)
    # How many text nodes with letters, and how many that were returned, come before each node.
    texts, taken, at = [0], [0], 0
    for node in tree.nodes:
        has_letters = is_taken = False
        if not node.name:
            node_text = shown[node.start : node.end]
            flags = [
                flag for c, flag in zip(node_text, returned[at:], strict=False) if not c.isspace()
            ]
            has_letters = bool(flags)
            is_taken = has_letters and sum(flags) >= _SHARE * len(flags)
            at += len(node_text) + 1
        texts.append(texts[-1] + has_letters)
        taken.append(taken[-1] + is_taken)
    marks: list[Mark] = []
    after = 0
    for number, node in enumerate(tree.nodes):
        here = taken[node.last + 1] - taken[number]
        if number < after or not here or here < texts[node.last + 1] - texts[number]:
            continue
        after = node.last + 1
        if node.name:
            mark: Mark = ElementMark(part="main", node=number)
        else:
            start, end = (labels.point(tree, place, ends=place == node.end)
                          for place in (node.start, node.end))  # fmt: skip
            mark = RangeMark(part="main", start=start, end=end)
        marks.append(labels.quoted(mark, tree))
    return marks
