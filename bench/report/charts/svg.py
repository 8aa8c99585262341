"""Charts as SVG: a title on each mark, and no inline style where a page's policy forbids it."""

import io
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from bench.report.charts import style
from bench.report.charts.style import Sheet

_SVG, _XLINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
_METADATA = {"Date": None, "Creator": None}
_IGNORED = ("font-family", "font-style", "font-variant", "font-stretch")
"""The page's own letters; charts are drawn with wider ones, so names have room."""
_COLOURS = {
    style.INK: "var(--ink)",
    style.SOFT: "var(--soft)",
    style.CONTROL: "var(--soft)",
    style.FAINT: "var(--line)",
    style.BLUE: "var(--accent)",
    "#ffffff": "var(--ground)",
}
"""What follows the page's light and dark scheme."""


def file(sheet: Sheet) -> str:
    """Return a chart as a file of its own."""
    root = _drawn(sheet)
    root.insert(0, _element("title", sheet.title))
    return ElementTree.tostring(root, "unicode") + "\n"


def inline(sheet: Sheet, name: str, links: Mapping[str, str]) -> str:
    """Return a chart as part of a page.

    ``name`` tells its ids from those of other charts of the page; ``links`` are addresses by the
    label of a mark.
    """
    root = _drawn(sheet)
    for child in list(root):
        if child.tag == f"{{{_SVG}}}metadata":
            root.remove(child)
    used = {part.get(_XLINK, "")[1:] for part in root.iter()}
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == f"{{{_SVG}}}style":
                parent.remove(child)
        label = sheet.marks.get(parent.get("id", ""), ("", ""))[0]
        if label in links:
            _link(parent, links[label])
        _plain(parent, name, used)
    for size in ("width", "height"):
        del root.attrib[size]
    root.attrib |= {"class": "chart", "role": "group", "aria-label": sheet.title}
    root.attrib |= {"stroke-linejoin": "round", "stroke-linecap": "butt"}
    return ElementTree.tostring(root, "unicode")


def _drawn(sheet: Sheet) -> Element:
    """Return what matplotlib draws, each mark with its title."""
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK[1:-5])
    drawn = io.BytesIO()
    sheet.figure.savefig(drawn, format="svg", metadata=_METADATA)
    root = ElementTree.fromstring(drawn.getvalue())  # noqa: S314 (matplotlib's, names escaped)
    for part in root.iter():
        if part.get("id") in sheet.marks:
            part.insert(0, _element("title", sheet.marks[part.attrib["id"]][1]))
    return root


def _element(tag: str, text: str = "") -> Element:
    element = Element(f"{{{_SVG}}}{tag}")
    element.text = text
    return element


def _link(mark: Element, address: str) -> None:
    """Put what a mark shows into a link."""
    link = _element("a")
    link.attrib |= {"href": address, "aria-label": mark[0].text or ""}
    link.extend(list(mark))
    mark[:] = [link]


def _plain(part: Element, name: str, used: set[str]) -> None:
    """Write styles as attributes, and give ids that are referred to the chart's name."""
    for declaration in part.attrib.pop("style", "").split(";"):
        key, _, value = (word.strip() for word in declaration.partition(":"))
        if key and key not in _IGNORED:
            part.set(key, _COLOURS.get(value.upper(), _COLOURS.get(value, value)))
    part_id = part.attrib.pop("id", "")
    if (part_id and part_id in used) or part.tag == f"{{{_SVG}}}clipPath":
        part.set("id", f"{name}-{part_id}")
    if _XLINK in part.attrib:
        part.set("href", f"#{name}-{part.attrib.pop(_XLINK)[1:]}")
    if "clip-path" in part.attrib:
        part.set("clip-path", part.attrib["clip-path"].replace("url(#", f"url(#{name}-"))
