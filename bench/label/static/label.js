// The tool around the page: marks with their history, the text that the server derives, saving.

import { PageView } from "/static/page.js";

const $ = (id) => document.getElementById(id);
const view = new PageView($("page"));
const FIELDS = ["title", "author", "date"];
const SNIPPETS = ["with_snippets", "without_snippets"];

let folder = null;
let draft = null;
let history = [[]];
let at = 0;
let asked = 0;
let dirty = false;
let stretched = false; // whether the click that ends is the end of a drag

async function call(path, body) {
  const response = await fetch(path, body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => { throw new Error("bench label has ended; start it again, this page keeps the marks"); });
  const answer = await response.json().catch(() => ({ error: `the server answers ${response.status}` }));
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

function say(text, bad = false) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", bad);
}

const guarded = (work) => async (...words) => {
  try { await work(...words); } catch (error) { say(error.message, true); }
};

// -- marks ---------------------------------------------------------------------------------------

const marks = () => history[at];
const part = () => document.querySelector("input[name=part]:checked").value;
const place = ({ node, start, end }) => JSON.stringify([node, start, end]);

function mark(place_, as) {
  const own = place(place_);
  const before = marks().find((other) => place(other) === own);
  const others = marks().filter((other) => other !== before);
  if (before?.part !== as) others.push({ ...place_, part: as });
  $("none").checked = false;
  remember(others);
}

function remember(next) {
  history = [...history.slice(0, at + 1), next];
  at += 1;
  changed();
}

function step(by) {
  if (!history[at + by]) return;
  at += by;
  changed();
}

const changed = guarded(async () => {
  dirty = true;
  $("undo").disabled = at === 0;
  $("redo").disabled = at === history.length - 1;
  asked += 1;
  const own = asked;
  $("text").ariaBusy = "true";
  const answer = await call("/api/text", { page: draft.page, marks: marks() });
  if (own === asked) show(answer);
});

function show({ texts, stretches }) {
  const lines = texts.main.split("\n").slice(0, -1);
  $("text").replaceChildren(...lines.map((line) => {
    const element = document.createElement("p");
    element.textContent = line;
    element.dir = "auto";
    return element;
  }));
  const words = texts.main.split(/\s+/).filter(Boolean).length;
  $("words").textContent = `${words.toLocaleString("en")} words`;
  $("text").dataset.empty = $("none").checked
    ? "No main content: that is the gold of this page." : "Nothing is marked yet: click on the main text.";
  $("comments").textContent = texts.comments;
  $("aside").hidden = !texts.comments;
  view.paint(stretches);
  $("text").ariaBusy = "false";
  say("");
}

function markChosen(as) {
  const stretch = view.selected();
  if (stretch) {
    view.clearSelection();
    mark({ kind: "range", ...stretch }, as);
  } else if (view.cursor) {
    mark({ kind: "element", node: view.node(view.cursor) }, as);
  }
}

function toggleNone() {
  $("none").checked = !$("none").checked;
  noneChanged();
}

function noneChanged() {
  if ($("none").checked && marks().length) remember([]);
  else changed();
}

// -- the chosen element --------------------------------------------------------------------------

/** Show the elements around an element, each to be taken by a click on its name. */
function showPath(innermost = view.cursor) {
  $("path").replaceChildren(...view.path(innermost).map(({ element, label }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.value = view.node(element);
    if (element === view.cursor) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => {
      view.choose(element);
      mark({ kind: "element", node: view.node(element) }, part());
      showPath(innermost);
    });
    return button;
  }));
  $("path").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

const pageEvents = {
  mousedown(event) {
    if (event.detail > 1) event.preventDefault(); // a double click is no stretch
    else if (event.button === 0) view.clearSelection();
  },
  mouseup(event) {
    stretched = event.button === 0 && view.selected() !== null;
    if (stretched) markChosen(event.altKey ? "out" : part());
  },
  click(event) { clicked(event, event.altKey ? "out" : part()); },
  contextmenu(event) {
    event.preventDefault();
    clicked(event, "out");
  },
  mousemove(event) { view.point(view.meant(event.target, event.altKey ? "out" : part()), "hover"); },
  dragstart(event) { event.preventDefault(); }, // a drag marks a stretch, whatever is under it
  mouseleave() { view.point(null, "hover"); },
  keydown: key,
};

function clicked(event, as) {
  if (stretched || event.detail > 1) return;
  const element = view.meant(event.target, as);
  if (!element) return;
  view.choose(element, false);
  showPath(event.target);
  mark({ kind: "element", node: view.node(element) }, as);
}

const KEYS = {
  Enter: () => markChosen("main"),
  x: () => markChosen("out"),
  c: () => markChosen("comments"),
  u: () => step(-1),
  r: () => step(1),
  n: toggleNone,
  s: () => save(),
  g: () => next(),
  h: () => $("hidden").click(),
  "?": () => $("keys").showModal(),
};

function key(event) {
  const typing = event.target.closest?.("input:not([type=radio], [type=checkbox]), textarea, select, dialog[open]");
  if (typing || event.ctrlKey || event.metaKey) return;
  if (event.key.startsWith("Arrow")) {
    if (event.target.closest?.("#part, #text")) return; // they have their own use of arrows
    if (event.shiftKey || event.altKey) view.stretch(event.key, event.shiftKey);
    else {
      view.clearSelection();
      view.move(event.key);
      showPath();
      const chosen = view.path(view.cursor).at(-1);
      if (chosen) say(`${chosen.label}: ${chosen.element.textContent.trim().slice(0, 80)}`);
    }
  } else {
    const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || (event.key === "Enter" && event.target.closest?.("button, summary, a"))) return;
    act();
  }
  event.preventDefault();
}

// -- pages ---------------------------------------------------------------------------------------

function showFolder(state) {
  folder = state;
  const labelled = folder.pages.filter((page) => page.state === "labelled").length;
  $("folder").textContent = folder.name + (folder.annotator ? `, as ${folder.annotator}` : "");
  $("labelled").textContent = `${labelled} of ${folder.pages.length}`;
  $("progress").max = folder.pages.length;
  $("progress").value = labelled;
  const signs = { labelled: "✓ ", gold: "• " };
  $("pages").replaceChildren(...folder.pages.map(({ id, state: own }) => {
    const option = new Option((signs[own] ?? "") + id, id);
    option.selected = id === draft?.page;
    return option;
  }));
  $("next").disabled = !folder.next;
}

const open = guarded(async (id) => {
  say("Loading …");
  const page = await call(`/api/page?id=${encodeURIComponent(id)}`);
  draft = page.draft;
  history = [draft.marks];
  at = 0;
  asked += 1;
  view.build(page.nodes);
  $("none").checked = draft.no_main_content;
  for (const name of FIELDS) $(name).value = draft[name] ?? "";
  for (const name of SNIPPETS) $(name).value = draft[name].join("\n");
  $("undo").disabled = $("redo").disabled = true;
  $("after").hidden = true;
  $("pages").value = id;
  $("page").dataset.page = id;
  $("path").replaceChildren();
  window.history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  show(page);
  dirty = false;
  const notes = [
    page.saved && `Saved ${page.saved.replace("T", " ").slice(0, 16)} UTC.`,
    page.prefill && `Begun with what ${page.prefill} returns.`,
    draft.chosen === "disputed" && "Chosen because it is disputed: rankings leave it out.",
    draft.chosen === "hand" && "Chosen by hand: rankings leave it out.",
    page.problem,
  ];
  say(notes.filter(Boolean).join(" "), Boolean(page.problem));
});

const store = guarded(async () => {
  const lines = (name) => $(name).value.split("\n").map((line) => line.trim()).filter(Boolean);
  const { findings, compared, folder: state } = await call("/api/save", {
    ...draft,
    marks: marks(),
    no_main_content: $("none").checked,
    ...Object.fromEntries(FIELDS.map((name) => [name, $(name).value.trim() || null])),
    ...Object.fromEntries(SNIPPETS.map((name) => [name, lines(name)])),
  });
  dirty = false;
  showFolder(state);
  say("Saved.");
  showAfter(findings, compared);
});

let saving = Promise.resolve();
const save = () => { saving = store(); };

function showAfter(findings, compared) {
  $("findings").replaceChildren(...findings.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
  const rows = compared.map(({ label, outcome, f1, text }) => {
    const row = document.createElement("details");
    const [summary, figure, own] = ["summary", "b", "div"].map((tag) => document.createElement(tag));
    figure.textContent = f1.toFixed(3);
    summary.append(figure, ` ${label}${outcome === "ok" ? "" : ` (${outcome})`}`);
    own.className = "text";
    own.textContent = text;
    row.append(summary, own);
    return row;
  });
  if (rows.length) {
    const title = document.createElement("h2");
    title.textContent = "4-gram F1 of the latest run on this page";
    rows.unshift(title);
  }
  $("compared").replaceChildren(...rows);
  $("after").hidden = !findings.length && !rows.length;
}

function leave(id) {
  if (!id || (dirty && !window.confirm("The marks on this page are not saved. Leave it?"))) {
    $("pages").value = draft.page;
    return;
  }
  open(id);
}

async function next() {
  await saving; // which says what is next
  leave(folder.next);
}

$("help").addEventListener("click", () => $("keys").showModal());
$("undo").addEventListener("click", () => step(-1));
$("redo").addEventListener("click", () => step(1));
$("none").addEventListener("change", noneChanged);
$("hidden").addEventListener("change", () => view.document.body.classList.toggle("show", $("hidden").checked));
$("save").addEventListener("click", save);
$("next").addEventListener("click", next);
$("pages").addEventListener("change", () => leave($("pages").value));
document.addEventListener("keydown", key);
window.addEventListener("beforeunload", (event) => { if (dirty) event.preventDefault(); });

guarded(async () => {
  await view.open(pageEvents);
  const state = await call("/api/folder");
  const wanted = decodeURIComponent(location.hash.slice(1));
  const known = state.pages.some((page) => page.id === wanted);
  await open(known ? wanted : state.next ?? state.pages[0].id);
  showFolder(state);
})();
