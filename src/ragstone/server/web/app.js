// The page: the form, the turns of the conversation, the choice of a collection, the key.

import { Failure, getJson, hasKey, setKey } from "./api.js";
import { streamAnswer } from "./answers.js";
import { find, make } from "./elements.js";
import { showResults } from "./results.js";
import { closeViewer, openViewer } from "./viewer.js";

const KEPT_TURNS = 6; // questions of the conversation that are sent along
let turns = [];
let running = null;
let names = [];

const say = (text) => { find("status").textContent = text; };

function readTarget() {
  const [kind, name] = find("target").value.split(/:(.*)/s);
  return kind ? { [kind]: name } : {};
}

function open(button, cited) {
  const { collection, pipeline } = readTarget();
  openViewer(button, cited, pipeline ? ["", ...names] : [collection ?? "", ...names.filter((name) => name !== collection)]);
}

async function run(kind) {
  const query = find("query").value.trim();
  if (!query || running) return;
  running = new AbortController();
  setBusy(true);
  find("welcome").hidden = true;
  const turn = make("li", { class: "turn" }, make("h2", { dir: "auto" }, query));
  find("history").append(turn);
  turn.scrollIntoView({ block: "nearest" });
  say(kind === "ask" ? "Searching the documents …" : "Searching …");
  try {
    await (kind === "ask" ? ask(turn, query) : search(turn, query));
    find("query").value = "";
  } catch (error) {
    report(turn, error);
  } finally {
    running = null;
    setBusy(false);
    turn.scrollIntoView({ block: "nearest" });
  }
}

async function ask(turn, query) {
  const messages = turns.slice(-KEPT_TURNS).flat();
  const answer = await streamAnswer(turn, { query, messages, ...readTarget() }, { signal: running.signal, open, say });
  if (answer) turns.push([{ role: "user", content: query }, { role: "assistant", content: answer }]);
  say(answer ? "The answer is complete." : "The documents do not answer this.");
}

async function search(turn, query) {
  const count = await showResults(turn, { query, ...readTarget() }, { signal: running.signal, open });
  say(count === 1 ? "1 passage found." : `${count} passages found.`);
}

function report(turn, error) {
  const stopped = error.name === "AbortError";
  say(stopped ? "Stopped." : "");
  const message = stopped ? "Stopped." : error.message;
  turn.append(make("p", stopped ? { class: "place" } : { class: "error", role: "alert" }, message));
  if (error.status === 401) askForKey({ refused: true });
}

function setBusy(busy) {
  for (const id of ["do-ask", "do-search", "fresh", "target"]) find(id).disabled = busy;
  find("stop").hidden = !busy;
  if (!busy) find("query").focus({ preventScroll: true });
}

function startAgain() {
  turns = [];
  find("history").replaceChildren();
  find("welcome").hidden = false;
  find("fresh").disabled = true;
  closeViewer();
  say("");
  find("query").focus();
}

function askForKey({ refused }) {
  const why = hasKey() ? "The server does not accept this key." : "This server wants an API key.";
  const told = "The key stays in this page alone and is forgotten when you close or reload it.";
  find("key-why").textContent = refused ? `${why} ${told}` : told;
  if (!find("key-dialog").open) find("key-dialog").showModal();
  find("key").focus();
}

async function loadTargets() {
  try {
    const [collections, pipelines] = await Promise.all([getJson("collections"), getJson("pipelines")]);
    names = collections.collections.map((one) => one.name);
    const group = (label, kind, list) => list.length
      && make("optgroup", { label }, ...list.map((name) => make("option", { value: `${kind}:${name}` }, name)));
    find("target").replaceChildren(...[
      make("option", { value: "" }, "Default collection"),
      group("Collections", "collection", names),
      group("Pipelines", "pipeline", pipelines.pipelines.map((one) => one.name)),
    ].filter(Boolean));
    say("");
  } catch (error) {
    if (error.status === 401) askForKey({ refused: true });
    else say(error instanceof Failure ? error.message : String(error));
  }
}

find("ask").addEventListener("submit", (event) => { event.preventDefault(); run("ask"); });
find("do-search").addEventListener("click", () => run("search"));
find("stop").addEventListener("click", () => running?.abort());
find("fresh").addEventListener("click", startAgain);
find("target").addEventListener("change", () => { turns = []; });
find("query").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  run("ask");
});
find("viewer-close").addEventListener("click", closeViewer);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !find("key-dialog").open && !find("viewer").hidden) closeViewer();
});
find("key-open").addEventListener("click", () => askForKey({ refused: false }));
find("key-cancel").addEventListener("click", () => find("key-dialog").close());
find("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  setKey(find("key").value);
  find("key").value = "";
  find("key-dialog").close();
  loadTargets();
});
loadTargets();
