// Public entry `@criticizer/core/http`: the one HTTP client, and what its answers mean. Named exports only.
export type { HttpClient, HttpExchangeOptions, HttpRequest, HttpResponse } from './http-client.js';
export { classifyStatus, httpFailure, isSuccess, type StatusFailure } from './http-failure.js';
export { parseHttpDate, parseRetryAfter } from './retry-after.js';
export type { ResolveHost } from './target-guard.js';
export { createHttpClient, type HttpClientOptions } from './undici-http-client.js';
