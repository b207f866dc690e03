/** A refusal, or a request that got no answer. Its message says what is wrong and what to do. */
export declare class SatchelError extends Error {
  constructor(code: string, message: string, more?: { status?: number; retryAfter?: number; details?: Record<string, unknown>; cause?: unknown });
  /** Of the protocol, such as "not_found" or "rate_limited"; "timeout", "unreachable" and "aborted" are of this client. */
  readonly code: string;
  /** The status of HTTP; 0: there was no answer. */
  readonly status: number;
  /** Seconds after which a retry may help; undefined: it does not. */
  readonly retryAfter?: number;
  /** Such as the broken rule, and where. */
  readonly details: Record<string, unknown>;
}

/** How to reach a server. */
export interface Settings {
  /** The address of the server; http://127.0.0.1:7777, if left out. */
  url?: string;
  /** The owner's token, or one that satchel token mint made. */
  token?: string;
  /** Milliseconds until a call is given up; 30,000, if left out. */
  timeout?: number;
}

/** Sends requests to one server. */
export declare class Core {
  constructor(settings?: Settings);
}
