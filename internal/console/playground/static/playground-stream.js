// Asking a model through the console, and the events of its answer.

// ask yields the events of one answer. A refusal before the first of them is an
// error event, too. The request's id is ours, so that one which is stopped before it
// is answered can be found. Aborting the signal ends the request, and with it the model's work.
export async function* ask(at, body, id, signal) {
  let response;
  try {
    response = await fetch(at + "/run", {
      method: "POST", signal, body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", Accept: "text/event-stream", "X-Request-Id": id },
    });
  } catch (e) {
    if (signal.aborted) throw e;
    yield { type: "error", code: "unreachable", message: "The server could not be reached. Check that it runs, then run this again." };
    return;
  }
  if (!response.ok) {
    yield { type: "error", ...(await refusal(response)) };
    return;
  }
  let ended = false;
  for await (const event of frames(response.body)) {
    ended ||= event.type === "end" || event.type === "error";
    yield event;
  }
  if (!ended) yield { type: "error", code: "cut", message: "The connection broke before the answer was complete. Run it again." };
}

// newID is an id for a request.
export function newID() {
  const letters = "0123456789abcdefghjkmnpqrstvwxyz";
  return "req_" + Array.from(crypto.getRandomValues(new Uint8Array(26)), (n) => letters[n % 32]).join("");
}

// refusal is what the server says in the place of an answer.
export async function refusal(response) {
  const status = response.status;
  try {
    const { error } = await response.json();
    const message = error.code === "session_required" ? "Your session has ended. Reload the page to sign in." : error.message;
    return { code: error.code, status, message, request: error.request_id, retry_after: Number(response.headers.get("Retry-After")) || 0 };
  } catch {
    return { code: "http_" + status, status, message: "The server answered with the status " + status + "." };
  }
}

// frames reads server-sent events; comments, which only keep the connection, are
// passed over.
async function* frames(stream) {
  let rest = "";
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      if (part.startsWith("data: ")) yield JSON.parse(part.slice(6));
    }
  }
}

// upload keeps a file and returns what the server knows of it.
export async function upload(at, file) {
  const form = new FormData();
  form.append("file", file);
  let response;
  try {
    response = await fetch(at + "/files", { method: "POST", body: form, headers: { Accept: "application/json" } });
  } catch {
    throw new Error("The upload broke off. The file may be too large.");
  }
  if (!response.ok) throw new Error((await refusal(response)).message);
  return response.json();
}
