import { documents } from "./documents.mjs";
import { load, serve } from "./protocol.mjs";
import { textOf } from "./text.mjs";

// By its path: the package offers it to `import` alone.
const { Defuddle } = load("./defuddle/dist/node.js");
const documentOf = documents("linkedom");

// useAsync would ask services on the web where a page has no text.
const settings = { useAsync: false };

await serve("defuddle", async (html, url) => {
  const { document } = documentOf(html);
  return textOf((await Defuddle(document, url ?? undefined, settings)).content);
});
