// Public entry `@criticizer/core/http`: the one HTTP client, and what its answers mean. Named exports only.

export { classifyStatus, httpFailure, isSuccess, type StatusFailure } from '../foundation/failures/http-failure.js';
export { parseHttpDate, parseRetryAfter } from '../foundation/failures/retry-after.js';
export type { HttpClient, HttpExchangeOptions, HttpRequest, HttpResponse } from '../http/http-client.js';
export type { ResolveHost } from '../http/target-guard.js';
export { createHttpClient, type HttpClientOptions } from '../http/undici-http-client.js';
