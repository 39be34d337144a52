// The document beside the answer: its text with the cited span marked, or its page with the box drawn.

import { Failure, getBlob, getJson } from "./api.js";
import { describePlace, find, make } from "./elements.js";

const AROUND = 20000; // characters shown on both sides of a span at first
const MOST_PAGES = 4;
const MOST_PLACES = 100; // of a citation, as the server takes them
const covering = matchMedia("(max-width: 60rem)"); // as in style.css: the document covers the rest
let opener = null;
let turn = 0;

export function closeViewer() {
  turn += 1;
  find("viewer").hidden = true;
  keepFocusInside();
  press(null);
  opener?.focus();
  opener = null;
}

function keepFocusInside() {
  const covered = covering.matches && !find("viewer").hidden;
  for (const part of document.querySelectorAll("body > header, main, .skip")) part.inert = covered;
}

covering.addEventListener("change", keepFocusInside);

function press(button) {
  document.querySelectorAll('[aria-pressed="true"]').forEach((one) => one.setAttribute("aria-pressed", "false"));
  button?.setAttribute("aria-pressed", "true");
}

// Opens `cited`: a document, spans, the quoted text; `collections` are tried in turn, since a pipeline reads several.
export async function openViewer(button, cited, collections) {
  const mine = (turn += 1);
  opener = button;
  press(button);
  find("viewer").hidden = false;
  keepFocusInside();
  find("viewer-title").textContent = cited.document.title || cited.document.path;
  find("viewer-place").textContent = describePlace(cited.document, cited.spans);
  find("viewer-title").focus();
  show(make("p", { role: "status" }, "Loading the document …"));
  try {
    const [shown, collection] = await loadDocument(cited, collections);
    if (mine === turn) await showDocument(shown, cited, collection, () => mine === turn);
  } catch (error) {
    if (mine !== turn) return;
    const quoted = make("pre", { dir: "auto" }, make("mark", {}, cited.text));
    show(make("p", { class: "error", role: "alert" }, error instanceof Failure ? error.message : String(error)), quoted);
  }
}

function show(...parts) {
  find("viewer-body").replaceChildren(...parts.filter(Boolean));
}

function address(identity, collection, parameters) {
  const query = new URLSearchParams(parameters);
  if (collection) query.set("collection", collection);
  return `documents/${identity}?${query}`;
}

async function loadDocument(cited, collections) {
  const spans = cited.spans.slice(0, MOST_PLACES);
  const places = spans.flatMap((span) => [["start", span.char_start], ["end", span.char_end]]);
  let last;
  for (const collection of collections) {
    try {
      const path = address(encodeURIComponent(cited.document.id), collection, places);
      return [await getJson(path), collection];
    } catch (error) {
      last = error;
      if (error.status !== 404) throw error;
    }
  }
  throw last;
}

async function showDocument(shown, cited, collection, current) {
  const changed = shown.version !== cited.document.version;
  const warning = changed && make("p", { class: "error", role: "alert" }, "The document has changed since: the place may be another.");
  const text = drawText(shown.text, shown.places ?? []);
  const pages = [...new Set(cited.spans.filter((span) => span.page).map((span) => span.page))].slice(0, MOST_PAGES);
  if (!pages.length) {
    show(warning, text);
    reveal(text);
    return;
  }
  const drawn = await Promise.all(pages.map((page) => drawPage(page, cited, collection)));
  if (!current()) return;
  const failed = drawn.some((one) => one.tagName === "P");
  const details = make("details", failed ? { open: "" } : {}, make("summary", {}, "Text of the document"), text);
  details.addEventListener("toggle", () => details.open && reveal(text));
  show(warning, ...drawn, details);
  revealBox(drawn.find((one) => one.dataset.top));
}

// Scrolls to the first marked place, which a page may have below what the window shows.
function revealBox(canvas) {
  if (!canvas) return;
  const body = find("viewer-body");
  body.scrollTop = canvas.offsetTop - body.offsetTop + canvas.dataset.top * canvas.clientHeight - body.clientHeight / 3;
  body.scrollLeft = canvas.dataset.left * canvas.clientWidth - 16;
}

function reveal(text) {
  text.querySelector("mark")?.scrollIntoView({ block: "center" });
}

// Offsets count characters, not the halves of surrogate pairs.
function drawText(text, places) {
  const characters = Array.from(text);
  const ordered = places.filter(([start, end]) => end > start).sort((one, other) => one[0] - other[0]);
  const [start, end] = ordered.length ? [ordered[0][0], Math.max(...ordered.map((place) => place[1]))] : [0, 0];
  const [first, last] = [Math.max(0, start - AROUND), Math.min(characters.length, end + AROUND)];
  const part = (from, to) => characters.slice(from, to).join("");
  const shown = make("pre", { dir: "auto" });
  let at = first;
  for (const [from, to] of ordered) {
    if (to <= at) continue;
    shown.append(part(at, from), make("mark", {}, part(Math.max(at, from), to)));
    at = to;
  }
  shown.append(part(at, last));
  const more = (label, from, to, where) => {
    if (to <= from) return null;
    return make("button", { type: "button", onclick: (event) => {
      event.currentTarget.remove();
      shown[where](part(from, to));
    } }, label);
  };
  return make("div", {}, more("Show the text before", 0, first, "prepend"), shown, more("Show the rest", last, characters.length, "append"));
}

// Drawn on a canvas, because a picture's address could not carry the key.
async function drawPage(page, cited, collection) {
  const places = cited.spans.filter((span) => span.page === page && span.bbox).map((span) => span.bbox);
  const boxes = places.map((place) => ["box", place.join(",")]);
  try {
    const query = new URLSearchParams(boxes.slice(0, MOST_PLACES));
    if (collection) query.set("collection", collection);
    const blob = await getBlob(`documents/${encodeURIComponent(cited.document.id)}/pages/${page}?${query}`);
    const [picture, scale] = await Promise.all([createImageBitmap(blob), readScale(blob)]);
    const label = `Page ${page}, ${boxes.length ? "the cited place is marked" : "no place is marked"}: ${cited.text}`;
    const canvas = make("canvas", { role: "img", "aria-label": label, width: picture.width, height: picture.height });
    canvas.getContext("2d").drawImage(picture, 0, 0);
    if (scale && places.length) {
      const [left, top] = places.reduce((first, place) => (place[1] < first[1] ? place : first));
      Object.assign(canvas.dataset, { left: left * scale / picture.width, top: top * scale / picture.height });
    }
    return canvas;
  } catch (error) {
    return make("p", { class: "error", role: "alert" }, error instanceof Failure ? error.message : "The page cannot be drawn.");
  }
}

// Pixels a point, as the picture names them (pHYs, behind the first chunk); 0 where it does not.
async function readScale(blob) {
  const chunk = new DataView(await blob.slice(33, 50).arrayBuffer());
  return chunk.byteLength > 11 && chunk.getUint32(4) === 0x70485973 ? (chunk.getUint32(8) * 0.0254) / 72 : 0;
}
