import { serve } from "./protocol.mjs";
import { textOf } from "./text.mjs";

await serve("html-to-text", (html) => textOf(html));
