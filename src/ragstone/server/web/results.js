// The passages of a search, each with what the retrievers said.

import { getJson, sentence } from "./api.js";
import { describePlace, listNotes, make } from "./elements.js";

export async function showResults(place, body, { signal, open }) {
  const found = await getJson("search", { body, signal });
  if (!found.hits.length) place.append(make("p", {}, "Nothing was found."));
  const most = {};
  for (const hit of found.hits)
    for (const [name, value] of [...Object.entries(hit.signals), ["score", hit.score]])
      most[name] = Math.max(most[name] ?? 0, Number(value) || 0);
  const items = found.hits.map((hit, n) => make("li", { class: "hit" }, ...drawHit(hit, n + 1, most, body, open)));
  place.append(make("ol", { class: "hits" }, ...items), listNotes(found.notes, sentence));
  return found.hits.length;
}

function drawHit(hit, rank, most, body, open) {
  const cited = { document: hit.document, spans: hit.spans, text: hit.text };
  const headings = hit.heading_path.join(" › ");
  const scores = drawScores(hit, most, {});
  const ranks = make("button", { type: "button", onclick: (event) => showRanks(event.currentTarget, hit, most, body) }, "Ranks by retriever");
  const show = make("button", { type: "button", "aria-pressed": "false", onclick: (event) => open(event.currentTarget, cited) }, "Show in document");
  for (const button of [show, ranks]) button.setAttribute("aria-label", `${button.textContent}: result ${rank}`);
  return [
    make("h3", {}, `${rank}. `, make("bdi", {}, hit.document.title || hit.document.path)),
    make("p", { class: "place", dir: "auto" }, describePlace(hit.document, hit.spans), headings && ` · ${headings}`),
    ...hit.flags.map((flag) => make("span", { class: "badge" }, `flagged: ${flag}`)),
    make("div", { class: "text", dir: "auto", tabindex: "0", role: "region", "aria-label": `Text of result ${rank}` }, hit.text),
    scores,
    make("div", { class: "row" }, show, ranks),
  ];
}

function drawScores(hit, most, ranks) {
  const caption = make("caption", { class: "hidden-text" }, "Scores by retriever");
  const row = (name, value, extra) => {
    const bar = make("i");
    bar.style.width = `${Math.max(0, Math.min(100, (100 * Number(value)) / (most[name] || 1)))}%`;
    const rank = ranks[name] ? `rank ${ranks[name]}` : "";
    return make("tr", extra, make("th", { scope: "row" }, name), make("td", {}, Number(value).toFixed(3)), make("td", {}, rank),
      make("td", {}, make("div", { class: "track" }, bar)));
  };
  const rows = Object.entries(hit.signals).map(([name, value]) => row(name, value, {}));
  return make("table", { class: "scores" }, caption, make("tbody", {}, ...rows, row("score", hit.score, { class: "total" })));
}

async function showRanks(button, hit, most, body) {
  button.disabled = true;
  const card = button.closest(".hit");
  const { query, collection, pipeline } = body;
  try {
    const told = await getJson("explain", { body: { query, collection, pipeline, path: hit.document.path, source: hit.document.source } });
    if (told.chunk === hit.id) card.querySelector(".scores").replaceWith(drawScores(hit, most, told.ranks));
    button.replaceWith(make("p", { class: "place", role: "status" }, told.chunk === hit.id ? sentence(told.message)
      : `Another passage of this document: ${sentence(told.message)}`));
  } catch (error) {
    button.replaceWith(make("p", { class: "error", role: "alert" }, error.message));
  }
}
