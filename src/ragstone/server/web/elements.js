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

export const find = (id) => document.getElementById(id);

export function describePlace(document, spans) {
  const where = document.path;
  const first = spans[0];
  if (!first) return where;
  if (first.sheet) return `${where}, sheet ${first.sheet}${first.rows ? `, rows ${first.rows.join("–")}` : ""}`;
  if (first.page) return `${where}, page ${[...new Set(spans.map((span) => span.page))].join(", ")}`;
  const last = spans.at(-1).line_end;
  return `${where}, ${first.line_start === last ? "line" : "lines"} ${[...new Set([first.line_start, last])].join("–")}`;
}

export function listNotes(notes, say) {
  if (!notes?.length) return "";
  return make("ul", { class: "notes" }, ...notes.map((note) => make("li", { dir: "auto" }, say(note.message))));
}
