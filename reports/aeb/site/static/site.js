// Sorting, filtering and choosing. Everything can be read without this script; it only reads what
// the pages hold, writes text as text, and asks nobody for anything.
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// -- what was chosen is in the address: a link shows the same ---------------------------------------

const state = new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");

function restore(key, control) {
  if (!state.has(key)) return;
  const before = control.value;
  control.value = state.get(key);
  if (control.value !== state.get(key)) control.value = before;
}

function remember(key, value) {
  if (value) state.set(key, value); else state.delete(key);
  history.replaceState(null, "", state.size ? `#?${state}` : "#");
}

// -- sorting ---------------------------------------------------------------------------------------

function valueOf(row, column) {
  const cell = row.cells[column];
  const given = cell.dataset.v ?? cell.textContent.trim();
  const number = Number(given);
  return given !== "" && !Number.isNaN(number) ? number : given;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function sort(table, heading, direction) {
  const column = heading.cellIndex;
  const body = table.tBodies[0];
  const sign = direction === "ascending" ? 1 : -1;
  const rows = [...body.rows].map((row, at) => ({ row, at, value: valueOf(row, column) }));
  rows.sort((a, b) =>
    // Controls are no competitors: they stay below.
    ("control" in a.row.dataset) - ("control" in b.row.dataset) ||
    sign * compare(a.value, b.value) || a.at - b.at);
  body.append(...rows.map((each) => each.row));
  for (const other of all("th[aria-sort]", table.tHead)) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", direction);
}

for (const table of all("table.sortable")) {
  for (const heading of all("th[data-sort]", table.tHead)) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    const first = heading.dataset.sort === "down" ? "descending" : "ascending";
    const second = first === "descending" ? "ascending" : "descending";
    button.addEventListener("click", () =>
      sort(table, heading, heading.getAttribute("aria-sort") === first ? second : first));
  }
}

// -- filtering -------------------------------------------------------------------------------------

for (const form of all("form[data-filters]")) {
  form.hidden = false;
  const status = form.querySelector("[data-status]");
  const controls = all("[data-filter]", form);
  for (const control of controls) restore(control.dataset.filter, control);
  const apply = () => {
    let shown = 0, total = 0;
    const wanted = Object.fromEntries(controls.map((each) => [each.dataset.filter, each.value]));
    for (const board of all("[data-board]")) {
      board.hidden = Boolean(wanted.set) && board.dataset.set !== wanted.set;
      for (const row of all("tr[data-row]", board)) {
        const control = "control" in row.dataset;
        const fits = controls.every(({ dataset: { filter }, value }) => {
          if (!value || filter === "set") return true;
          if (filter === "name") return row.dataset.name.includes(value.trim().toLowerCase());
          return control || row.dataset[filter] === value;
        });
        row.hidden = !fits;
        if (!board.hidden && !control) { total += 1; shown += fits ? 1 : 0; }
      }
    }
    status.textContent = controls.some((each) => each.value) ? `${shown} of ${total} rows` : "";
  };
  form.addEventListener("input", ({ target }) => {
    remember(target.dataset.filter, target.value);
    apply();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
}

// -- choosing a figure and a slice -----------------------------------------------------------------

// A figure is [value, lower end, upper end, text, text of the interval]: nothing is rounded here.
function draw(row, [value, lo, hi, text, range], place) {
  const cell = row.querySelector("[data-main-value]");
  cell.textContent = text;
  cell.dataset.v = value ?? -1;
  const interval = row.querySelector("[data-interval]");
  interval.querySelector(".range").textContent = range;
  const whisker = interval.querySelector("line.whisker");
  whisker.setAttribute("x1", place(lo ?? value ?? 0));
  whisker.setAttribute("x2", place(hi ?? value ?? 0));
  for (const end of ["x1", "x2"]) interval.querySelector("line.dot").setAttribute(end, place(value ?? 0));
}

// The part of 0 to 1 that holds these figures but for outliers, ending at multiples of 0.05.
function axisOf(figures) {
  const values = figures.map(([value]) => value ?? 0).sort((a, b) => a - b);
  const [low4, high4] = [1, 3].map((part) => values[Math.floor(values.length * part / 4)]);
  const fence = values.at(-1) - values[0] > 0.4 ? low4 - (high4 - low4) : 0;
  const inner = figures.filter(([value]) => (value ?? 0) >= fence);
  const ends = inner.flatMap((each) => each.slice(0, 3)).filter((each) => each !== null);
  const low = Math.floor(Math.min(1, ...ends) / 0.05) * 0.05;
  const high = Math.min(1, Math.max(Math.ceil(Math.max(0, ...ends) / 0.05) * 0.05, low + 0.05));
  return { low, high, place: (value) => 100 * Math.min(1, Math.max(0, (value - low) / (high - low))) };
}

for (const form of all("form[data-choices]")) {
  form.hidden = false;
  const board = form.closest("[data-board]");
  const data = JSON.parse(board.querySelector("script[data-figures]").textContent);
  const figure = form.querySelector('[data-choose="figure"]');
  const slice = form.querySelector('[data-choose="slice"]');
  const said = form.querySelector("[data-said]");
  const heading = board.querySelector('th[data-column="figure"]');
  const scale = board.querySelector('th[data-column="axis"] small');
  const table = heading.closest("table");
  const first = figure.value;
  const keys = new Map([[figure, `${board.dataset.set}.figure`], [slice, `${board.dataset.set}.pages`]]);
  keys.delete(null);
  const apply = () => {
    const part = slice ? slice.value : "";
    for (const option of figure.options) option.disabled = Boolean(part) && !("main" in option.dataset);
    if (figure.selectedOptions[0].disabled) {
      const metric = figure.value.split("/")[0];
      figure.value = [...figure.options].find((each) => each.value.startsWith(`${metric}/`) && !each.disabled).value;
    }
    const metric = figure.value.split("/")[0];
    const whole = !part && figure.value === first;
    const figures = data.order.map((name, at) => (part ? data.slices[part][metric][at] : data.rows[name][figure.value]));
    const rows = data.order.map((name) => board.querySelector(`tr[data-row="${name}"]`));
    const axis = axisOf(figures.filter((_, at) => !("control" in rows[at].dataset)));
    rows.forEach((row, at) => {
      draw(row, figures[at], axis.place);
      // Significance is known for the ranking figure on all pages alone.
      row.cells[0].textContent = whole ? row.cells[0].dataset.rank : "";
    });
    scale.textContent = `${Math.round(axis.low * 100)} to ${Math.round(axis.high * 100)}`;
    (heading.querySelector("button") ?? heading).textContent = figure.selectedOptions[0].textContent;
    sort(table, whole ? table.tHead.rows[0].cells[0] : heading, whole ? "ascending" : "descending");
    said.textContent = whole ? "" :
      "Significance is of the first figure on all pages" + (part ? "; the other columns are of all pages too." : ".");
  };
  for (const [control, key] of keys) restore(key, control);
  form.addEventListener("change", () => {
    apply();
    for (const [control, key] of keys) remember(key, control.value === control.options[0].value ? "" : control.value);
  });
  if (figure.value !== first || slice?.value) apply();
  form.addEventListener("submit", (event) => event.preventDefault());
}

// -- price -----------------------------------------------------------------------------------------

for (const form of all("form[data-price]")) {
  form.hidden = false;
  const input = form.querySelector("input");
  const money = (cost) => cost.toFixed(cost < 10 ? 2 : cost < 100 ? 1 : 0);
  const first = input.value;
  const apply = () => {
    const price = Number(input.value);
    if (!(price >= 0)) return;
    for (const cell of all("td[data-hours]")) {
      cell.dataset.v = Number(cell.dataset.hours) * price;
      cell.textContent = money(Number(cell.dataset.v));
    }
  };
  input.addEventListener("input", () => {
    remember("price", input.value === first ? "" : input.value);
    apply();
  });
  restore("price", input);
  if (input.value !== first) apply();
  form.addEventListener("submit", (event) => event.preventDefault());
}

// -- page views ------------------------------------------------------------------------------------

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const cell = target?.closest("details");
  if (!cell) return;
  for (const other of all("details.cell")) other.open = other === cell;
  cell.scrollIntoView();
}
for (const bar of all("[data-details]")) {
  bar.hidden = false;
  const set = (open) => { for (const each of all("details.cell")) each.open = open; };
  bar.querySelector("[data-open]").addEventListener("click", () => set(true));
  bar.querySelector("[data-close]").addEventListener("click", () => set(false));
}
addEventListener("hashchange", openTarget);
if (location.hash && !location.hash.startsWith("#?")) openTarget();

// Everything is opened for print, and closed again.
let opened = [];
addEventListener("beforeprint", () => {
  opened = all("main > details:not(.cell):not([open]), section > details:not([open])");
  for (const each of opened) each.open = true;
});
addEventListener("afterprint", () => { for (const each of opened) each.open = false; });
