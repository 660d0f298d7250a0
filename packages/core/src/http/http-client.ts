/** One request. Credentials go into `headers` here and nowhere earlier. */
export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute, `https:` (or `http:` for an origin in `allowPrivateOrigins`), without user or password. */
  url: string;
  /** The client sets host, length and encoding headers itself and refuses them here. */
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | undefined;
}

/** Limits of one exchange; what is left out is the client's own. */
export interface HttpExchangeOptions {
  /**
   * An abort ends the exchange at once, with the signal's reason when that is a `CriticizerError`,
   * else with `ABORTED`.
   */
  signal?: AbortSignal | undefined;
  /** For the whole exchange, connecting and reading included. Default: the client's `totalTimeoutMs`. */
  timeoutMs?: number | undefined;
  /** Default: the client's. Counts decoded bytes. */
  maxResponseBytes?: number | undefined;
}

/** An answer of any status, read to its end. */
export interface HttpResponse {
  status: number;
  /** Names in lower case; repeated headers joined by `, `. */
  headers: Readonly<Record<string, string>>;
  /** Whole and decoded, at most `maxResponseBytes`. */
  body: Uint8Array;
}

/**
 * One exchange over HTTP: no retry, no redirect, any status is an answer. Fails with a
 * `CriticizerError`: `NETWORK_TIMEOUT`, `NETWORK_RESET`, `NETWORK_REFUSED`, `NETWORK_UNREACHABLE`,
 * `NETWORK_DNS`, `NETWORK_TLS` (category network), `HTTP_TOO_LARGE`, `HTTP_MALFORMED` (upstream),
 * `HTTP_BLOCKED` (policy), `ABORTED` (conflict).
 */
export interface HttpClient {
  exchange(request: HttpRequest, options?: HttpExchangeOptions): Promise<HttpResponse>;
  /**
   * True for an origin, such as `http://swarm.internal:8080`, that the host listed by name: the client
   * exchanges with it although its address is private, and over plain `http:` too. A caller that
   * sends a credential takes plain http to another machine only then. Absent: no origin is listed.
   */
  isPrivateOriginAllowed?(origin: string): boolean;
  /** Lets running exchanges end, then closes the sockets. */
  close(): Promise<void>;
}
