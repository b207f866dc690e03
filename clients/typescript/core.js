// Sends requests to a server and reads its refusals. No dependencies: fetch is enough.

/** The most bytes of an answer. */
const most = 64 * 1024 * 1024;

/** A refusal, or a request that got no answer. Its message says what is wrong and what to do. */
export class SatchelError extends Error {
  constructor(code, message, { status = 0, retryAfter, details = {}, cause } = {}) {
    super(message, { cause });
    this.name = "SatchelError";
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.details = details;
  }
}

/** Returns a path with a value in the place of its parameter. */
export function path(template, value) {
  return template.replace(/\{[^}]*\}/, () => encodeURIComponent(value));
}

/** Sends requests to one server. */
export class Core {
  #url;
  #token;
  #timeout;

  constructor({ url = "http://127.0.0.1:7777", token, timeout = 30_000 } = {}) {
    if (!/^https?:$/.test(new URL(url).protocol)) {
      throw new TypeError("url is the address of the server, such as http://127.0.0.1:7777");
    }
    this.#url = url.replace(/\/+$/, "");
    this.#token = token;
    this.#timeout = timeout;
  }

  /** Sends a request and returns its answer, or throws SatchelError. */
  async ask(method, where, { query = {}, body, key, signal } = {}) {
    const address = new URL(this.#url + where);
    for (const [name, value] of Object.entries(query)) {
      for (const one of value === undefined ? [] : [value].flat()) {
        address.searchParams.append(name, String(one));
      }
    }
    const headers = { Accept: "application/json" };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const late = AbortSignal.timeout(this.#timeout);
    const until = signal ? AbortSignal.any([signal, late]) : late;
    let answer, text;
    try {
      // Redirects are not followed, so that the token reaches no other server.
      answer = await fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), redirect: "manual", signal: until });
      text = await read(answer);
    } catch (cause) {
      if (cause instanceof SatchelError) throw cause;
      if (signal?.aborted) throw new SatchelError("aborted", "the call was ended by its signal", { cause });
      if (late.aborted) throw new SatchelError("timeout", `the server did not answer within ${this.#timeout} milliseconds`, { cause });
      throw new SatchelError("unreachable", `the server at ${this.#url} cannot be reached; satchel serve starts one`, { cause });
    }
    if (!answer.ok) throw refused(answer, text);
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new SatchelError("not_json", "the answer is no JSON: something else than Satchel answers there", { status: answer.status, cause });
    }
  }
}

/** Reads an answer up to its limit. */
async function read(answer) {
  const decoder = new TextDecoder();
  let text = "", bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > most) throw new SatchelError("too_large", "the answer is larger than this client takes", { status: answer.status });
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns the error that a refusal stands for. */
function refused(answer, text) {
  const wait = Number.parseFloat(answer.headers.get("Retry-After") ?? "");
  const more = { status: answer.status, retryAfter: Number.isNaN(wait) ? undefined : wait };
  try {
    const { code, message, details } = JSON.parse(text).error;
    if (typeof code === "string" && typeof message === "string") return new SatchelError(code, message, { ...more, details });
  } catch {
    // something else than Satchel answers
  }
  return new SatchelError(`http_${answer.status}`, `the server answers with status ${answer.status}`, more);
}
