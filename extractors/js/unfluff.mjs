import { load, serve } from "./protocol.mjs";

const unfluff = load("unfluff");

// Lazily: the text alone, no metadata.
await serve("unfluff", (html) => unfluff.lazy(html).text());
