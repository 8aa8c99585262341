// Speaks bench's JSON lines (docs/protocol.md) for one extractor.
//
// Its libraries are in an environment of their own, whose folder is the program's first word.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const modules = join(process.argv[2], "node_modules");

/** Loads a library of the environment. */
export const load = createRequire(join(modules, "bench.cjs"));

/** Answers requests with the texts of `extract(html, url)` until they end. */
export async function serve(library, extract) {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    send(request.op === "load" ? greeting(library) : await reply(request, extract));
  }
}

// Standard output belongs to the protocol: what libraries print goes to standard error.
console.log = console.info = console.debug = console.error;

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

async function reply({ id, html, url }, extract) {
  try {
    return { id, text: (await extract(html, url)) ?? "" };
  } catch (error) {
    return { id, error: error?.stack || String(error) };
  }
}

function greeting(library) {
  const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json")));
  const versions = Object.entries(packages).map(
    ([path, { version }]) => `${path.split("node_modules/").at(-1)}==${version}`,
  );
  const { version } = packages[`node_modules/${library}`];
  versions.push(`node==${process.versions.node}`);
  return { protocol: 1, name: library, version, packages: [...new Set(versions)].sort() };
}
