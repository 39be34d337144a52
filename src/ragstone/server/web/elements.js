// Elements from plain values. Text is only ever text: nothing of a document or an answer becomes markup or an address.

export function make(name, options = {}, ...children) {
  const element = document.createElement(name);
  for (const [option, value] of Object.entries(options)) {
    if (option === "class") element.className = value;
    else if (option === "onclick") element.addEventListener("click", value);
    else element.setAttribute(option, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

const NEAR = 2; // lines: nothing but a blank one lies between

export const find = (id) => document.getElementById(id);

export function describePlace(document, spans) {
  const where = document.path;
  const first = spans[0];
  if (!first) return where;
  if (first.sheet) return `${where}, sheet ${first.sheet}${first.rows ? `, rows ${first.rows.join("–")}` : ""}`;
  if (first.page) return `${where}, page ${[...new Set(spans.map((span) => span.page))].join(", ")}`;
  const lines = [[first.line_start, first.line_end]];
  for (const { line_start, line_end } of spans.slice(1)) {
    if (line_start <= lines.at(-1)[1] + NEAR) lines.at(-1)[1] = line_end;
    else lines.push([line_start, line_end]);
  }
  const one = lines.length === 1 && lines[0][0] === lines[0][1];
  return `${where}, ${one ? "line" : "lines"} ${lines.map((ends) => [...new Set(ends)].join("–")).join(", ")}`;
}

export function listNotes(notes, say) {
  if (!notes?.length) return "";
  return make("ul", { class: "notes" }, ...notes.map((note) => make("li", { dir: "auto" }, say(note.message))));
}
