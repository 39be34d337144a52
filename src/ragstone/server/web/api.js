// Calls of the server that this page came from. The key stays in this module: it is in no storage and in no address.

let key = "";

export function setKey(text) {
  key = text.trim();
}

export const hasKey = () => key !== "";

export class Failure extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

async function send(path, { body, signal } = {}) {
  const headers = key ? { "X-API-Key": key } : {};
  if (body) headers["Content-Type"] = "application/json";
  let reply;
  try {
    reply = await fetch(new URL(`../v1/${path}`, import.meta.url), {
      method: body ? "POST" : "GET",
      headers,
      body: body && JSON.stringify(body),
      signal,
      credentials: "same-origin",
    });
  } catch (error) {
    if (error.name === "AbortError" || error instanceof TypeError === false) throw error;
    throw new Failure("The server cannot be reached.");
  }
  if (!reply.ok) throw new Failure(await readMessage(reply), reply.status);
  return reply;
}

async function readMessage(reply) {
  try {
    const said = await reply.json();
    return sentence(said.error?.message ?? said.message ?? `The server answered ${reply.status}.`);
  } catch {
    return `The server answered ${reply.status}.`;
  }
}

export function sentence(text) {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

export const getJson = async (path, options) => (await send(path, options)).json();
export const getBlob = async (path, options) => (await send(path, options)).blob();

// The events of a stream (server-sent events) as [name, data].
export async function* streamEvents(path, options) {
  const reader = (await send(path, options)).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split(/\r?\n\r?\n/);
    rest = parts.pop();
    for (const part of parts) {
      const event = readEvent(part);
      if (event) yield event;
    }
  }
}

function readEvent(part) {
  let name = "message";
  const data = [];
  for (const line of part.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length ? [name, JSON.parse(data.join("\n"))] : null;
}
