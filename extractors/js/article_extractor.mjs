import { load, serve } from "./protocol.mjs";
import { textOf } from "./text.mjs";

const { extractFromHtml } = load("@extractus/article-extractor");

await serve("@extractus/article-extractor", async (html, url) => {
  const article = await extractFromHtml(html, url ?? "");
  return article && textOf(article.content);
});
