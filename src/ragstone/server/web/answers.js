// An answer as it comes, then with its citations.

import { sentence, streamEvents } from "./api.js";
import { describePlace, listNotes, make } from "./elements.js";

// Streams an answer into `place` and gives its text; `open(button, cited)` shows a citation.
export async function streamAnswer(place, body, { signal, open, say }) {
  const text = make("div", { class: "answer", dir: "auto", "aria-live": "polite", "aria-busy": "true" });
  place.append(text);
  try {
    for await (const [name, data] of streamEvents("ask", { body: { ...body, stream: true }, signal })) {
      if (name === "search_results") say(`${data.hits.length} passages found, writing the answer …`);
      if (name === "message") text.append(data.delta || !text.textContent ? data.text : ` ${data.text}`);
      if (name === "error") throw new Error(sentence(data.message));
      if (name === "final_answer") return finish(place, text, data, open);
    }
    throw new Error("The answer ended before it was whole.");
  } finally {
    text.setAttribute("aria-busy", "false");
  }
}

function finish(place, text, answer, open) {
  const citations = new Map(answer.citations.map((one) => [one.n, one]));
  text.replaceChildren(...(answer.abstained ? [answer.answer] : drawSentences(answer, citations, open)));
  if (citations.size) {
    const items = answer.citations.map((one) => make("li", {}, drawSource(one, open)));
    place.append(make("p", { class: "label" }, "Sources"), make("ol", { class: "sources" }, ...items));
  }
  if (answer.abstained && answer.closest.length) {
    const items = answer.closest.map((hit) => make("li", {}, drawClosest(hit, open)));
    place.append(make("p", { class: "label" }, "Closest passages"), make("ol", { class: "sources" }, ...items));
  }
  place.append(listNotes(answer.notes, sentence));
  return answer.abstained ? "" : answer.answer;
}

// The sentences with what stands between them, where that is white space or the mark of a list.
function* splitSentences(answer) {
  let at = 0;
  for (const one of answer.sentences) {
    const start = answer.answer.indexOf(one.text, at);
    const gap = start < 0 ? " " : answer.answer.slice(at, start).replace(/\s*\[\d+\]/g, "");
    if (start >= 0) at = start + one.text.length;
    yield [gap, one];
  }
}

function drawSentences(answer, citations, open) {
  if (!answer.sentences.length) return [answer.answer];
  const parts = [];
  for (const [gap, one] of splitSentences(answer)) {
    const doubtful = one.status === "unverified";
    parts.push(gap, make("span", doubtful ? { class: "doubtful" } : {}, one.text));
    if (doubtful) parts.push(make("span", { class: "hidden-text" }, " (not confirmed by the documents)"));
    for (const n of one.citations) if (citations.has(n)) parts.push(drawNumber(citations.get(n), open));
  }
  return parts;
}

const toCited = (citation) => ({ document: citation.document, spans: citation.spans, text: citation.quote });

function drawNumber(citation, open) {
  const label = `Source ${citation.n}: ${citation.document.title || citation.document.path}`;
  return make("button", { type: "button", class: "cite", "aria-label": label, "aria-pressed": "false",
    onclick: (event) => open(event.currentTarget, toCited(citation)) }, String(citation.n));
}

function drawSource(citation, open) {
  const number = make("b", {}, `${citation.n} `);
  return drawCard(number, toCited(citation), open);
}

const drawClosest = (hit, open) => drawCard("", { document: hit.document, spans: hit.spans, text: hit.text }, open);

function drawCard(number, cited, open) {
  return make("button", { type: "button", class: "source", "aria-pressed": "false",
    onclick: (event) => open(event.currentTarget, cited) },
    number, make("bdi", {}, cited.document.title || cited.document.path), " ",
    make("span", { class: "place" }, describePlace(cited.document, cited.spans)),
    make("span", { class: "quote", dir: "auto" }, cited.text));
}
