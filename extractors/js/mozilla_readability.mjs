import { documents } from "./documents.mjs";
import { load, serve } from "./protocol.mjs";

const { Readability } = load("@mozilla/readability");
const documentOf = documents(process.argv[3]);

await serve("@mozilla/readability", (html, url) => {
  const { document, close } = documentOf(html, url);
  try {
    return new Readability(document).parse()?.textContent;
  } finally {
    close();
  }
});
