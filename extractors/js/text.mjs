// The text of the HTML that some libraries return: lines break where blocks do.

import { load } from "./protocol.mjs";

const upright = { uppercase: false };
const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];

/** Turns HTML into plain text: no addresses, no pictures, no wrapping. */
export const textOf = load("html-to-text").compile({
  wordwrap: false,
  limits: { maxInputLength: undefined },
  selectors: [
    { selector: "a", options: { ignoreHref: true } },
    { selector: "img", format: "skip" },
    { selector: "ul", options: { itemPrefix: "" } },
    ...headings.map((selector) => ({ selector, options: upright })),
  ],
});
