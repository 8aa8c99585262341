// Documents of pages, by one library or another. Neither runs scripts nor fetches anything.

import { load } from "./protocol.mjs";

/** Returns what makes `{ document, close }` of a page, by the library of that name. */
export const documents = (library) => ({ jsdom, linkedom })[library]();

function linkedom() {
  const { parseHTML } = load("linkedom");
  return (html) => {
    let { document } = parseHTML(html);
    // It adds no tags that a page leaves out; without <body> the whole page would be lost.
    const parts = document.documentElement?.children ?? [];
    if (![...parts].some((each) => each.tagName === "BODY")) {
      ({ document } = parseHTML(`<!DOCTYPE html><html><body>${html}</body></html>`));
    }
    return { document, close() {} };
  };
}

function jsdom() {
  const { JSDOM, VirtualConsole } = load("jsdom");
  // One that nobody listens to: pages are full of style sheets that it cannot parse.
  const virtualConsole = new VirtualConsole();
  return (html, url) => {
    const { window } = new JSDOM(html, { url: url ?? undefined, virtualConsole });
    return { document: window.document, close: () => window.close() };
  };
}
