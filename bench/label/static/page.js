// The page, built inert from the server's tree: elements by createElement, texts by createTextNode.
// Marks are shown by the CSS Custom Highlight API, so that the nodes stay as they are.

const SPACE = /^\s*$/;

/** How many code points are before a place of a string counted in UTF-16, and the other way round. */
const codePoints = (text, units) => [...text.slice(0, units)].length;
const units = (text, points) => [...text].slice(0, points).join("").length;

export class PageView {
  constructor(frame) {
    this.frame = frame;
    this.cursor = null;
  }

  get document() { return this.frame.contentDocument; }

  /** Load the empty page and have its events handled; `on` maps names to handlers. */
  open(on) {
    return new Promise((loaded) => {
      this.frame.addEventListener("load", () => {
        for (const [name, handle] of Object.entries(on)) this.document.addEventListener(name, handle);
        loaded();
      }, { once: true });
      this.frame.src = "/page";
    });
  }

  /** Build a page from its flat list of nodes, see Tree.drawing. */
  build(nodes) {
    this.byNumber = new Map();
    this.numbers = new WeakMap();
    this.labels = new Map();
    this.cursor = null;
    const roots = [];
    for (const [number, parent, tag, label, hidden, dir, words] of nodes) {
      const node = label === undefined
        ? this.document.createTextNode(tag) : this.document.createElement(tag);
      if (label !== undefined) {
        node.dataset.node = number;
        if (hidden) node.dataset.hidden = "";
        if (dir) node.dir = dir;
        if (words) node.dataset.words = words;
        this.labels.set(number, label);
      }
      this.byNumber.set(number, node);
      this.numbers.set(node, number);
      const above = this.byNumber.get(parent);
      if (above) above.append(node); else roots.push(node);
    }
    this.document.body.replaceChildren(...roots);
    this.frame.contentWindow.scrollTo(0, 0);
    this.paint({});
  }

  /** Show which stretches of which text nodes are of which part. */
  paint(stretches) {
    const { CSS, Highlight } = this.frame.contentWindow;
    CSS.highlights.clear();
    for (const [part, runs] of Object.entries(stretches)) {
      const ranges = runs.map(([number, start, end]) => {
        const text = this.byNumber.get(number);
        const range = this.document.createRange();
        range.setStart(text, units(text.data, start));
        range.setEnd(text, units(text.data, end));
        return range;
      });
      CSS.highlights.set(part, new Highlight(...ranges));
    }
  }

  /** The element that a click means: to take, the innermost that is no part of a line. */
  meant(target, part) {
    let element = target.closest?.("[data-node]");
    if (part === "out") return element;
    const { getComputedStyle } = this.frame.contentWindow;
    while (element?.parentElement?.closest("[data-node]")
           && getComputedStyle(element).display.startsWith("inline")) {
      element = element.parentElement;
    }
    return element;
  }

  point(element, name) {
    this.document.querySelector(`[data-${name}]`)?.removeAttribute(`data-${name}`);
    element?.setAttribute(`data-${name}`, "");
  }

  choose(element, scroll = true) {
    this.cursor = element;
    this.point(element, "cursor");
    if (scroll) element?.scrollIntoView({ block: "nearest" });
  }

  node(element) { return Number(element.dataset.node); }

  /** An element and those around it, outermost first, each with its label. */
  path(innermost) {
    const path = [];
    for (let at = innermost; at?.dataset?.node; at = at.parentElement) {
      path.unshift({ element: at, label: this.labels.get(this.node(at)) });
    }
    return path;
  }

  /** Choose the element above, in, before or after the chosen one; those without text do not count. */
  move(key) {
    const shown = (at) => !SPACE.test(at.textContent) && at.getClientRects().length > 0;
    const near = (at, step) => {
      do at = at[step]; while (at && !shown(at));
      return at;
    };
    const first = (at) => at && [...at.children].find(shown);
    const from = this.cursor;
    if (!from) {
      let start = this.document.body;
      while ([...start.children].filter(shown).length === 1) start = first(start);
      return this.choose(first(start) ?? start);
    }
    const above = from.parentElement.closest("[data-node]");
    let to = {
      ArrowUp: above,
      ArrowDown: first(from),
      ArrowLeft: near(from, "previousElementSibling") ?? above,
    }[key];
    if (key === "ArrowRight") {
      for (let at = from; at && !to; at = at.parentElement.closest("[data-node]")) {
        to = near(at, "nextElementSibling");
      }
    }
    if (to) this.choose(to);
  }

  /** Choose a stretch of text word by word: move its end, or its beginning. */
  stretch(key, extends_) {
    const selection = this.document.getSelection();
    if (selection.rangeCount === 0 && this.cursor) selection.collapse(this.cursor, 0);
    selection.modify(extends_ ? "extend" : "move", key === "ArrowLeft" ? "backward" : "forward", "word");
  }

  clearSelection() { this.document.getSelection().removeAllRanges(); }

  /** The selected stretch as the server has it: text nodes and code points; null where there is none. */
  selected() {
    const selection = this.document.getSelection();
    if (selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const walker = this.document.createTreeWalker(this.document.body, NodeFilter.SHOW_TEXT);
    let first = null;
    let last = null;
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (!range.intersectsNode(text)) { if (first) break; else continue; }
      const start = text === range.startContainer ? range.startOffset : 0;
      const end = text === range.endContainer ? range.endOffset : text.length;
      if (SPACE.test(text.data.slice(start, end))) continue;
      first ??= { node: this.numbers.get(text), offset: codePoints(text.data, start) };
      last = { node: this.numbers.get(text), offset: codePoints(text.data, end) };
    }
    return first && { start: first, end: last };
  }
}
