import { load, serve } from "./protocol.mjs";

const Parser = load("@postlight/parser");

const settings = { contentType: "text", fetchAllPages: false };

await serve("@postlight/parser", async (html, url) => {
  // Without HTML it would fetch the page.
  if (!html.trim()) return "";
  // It wants an address, to choose the rules of a site that it knows.
  const result = await Parser.parse(url ?? "https://example.org/", { html, ...settings });
  if (result.error) throw new Error(result.message);
  return result.content;
});
