// Made by go generate ./clients from the description of the server. Do not edit.
import { Core, path } from "./core.js";

/** A client of one server. Its methods throw SatchelError. */
export class Client extends Core {
  capabilities(options = {}) {
    return this.ask("GET", "/ump/capabilities", { signal: options.signal });
  }

  recall(request, options = {}) {
    return this.ask("POST", "/ump/recall", { body: request, key: options.idempotencyKey, signal: options.signal });
  }

  remember(request, options = {}) {
    return this.ask("POST", "/ump/remember", { body: request, key: options.idempotencyKey, signal: options.signal });
  }

  get(id, options = {}) {
    return this.ask("GET", path("/ump/memory/{id}", id), { query: { view: options.view }, signal: options.signal });
  }

  revise(request, options = {}) {
    return this.ask("POST", "/ump/revise", { body: request, key: options.idempotencyKey, signal: options.signal });
  }

  forget(request, options = {}) {
    return this.ask("POST", "/ump/forget", { body: request, key: options.idempotencyKey, signal: options.signal });
  }

  feedback(request, options = {}) {
    return this.ask("POST", "/ump/feedback", { body: request, key: options.idempotencyKey, signal: options.signal });
  }

  context(options = {}) {
    return this.ask("GET", "/v1/context", { query: { scope: options.scope, categories: options.categories }, signal: options.signal });
  }

  contextDiff(options) {
    return this.ask("GET", "/v1/context/diff", { query: { since: options.since, scope: options.scope, categories: options.categories }, signal: options.signal });
  }

  correct(request, options = {}) {
    return this.ask("POST", "/v1/context/correct", { body: request, signal: options.signal });
  }
}
