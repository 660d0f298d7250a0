type Headers = Readonly<Record<string, string>>;

/** What may stand in a record: never a header that nobody listed, as it may be a credential. */
const recorded: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'anthropic-version',
  'anthropic-beta',
  'openai-beta',
]);

/** The client sets these itself, and refuses them from outside. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'accept-encoding', 'expect', 'upgrade'],
]);

/** The headers that are recorded and shown: those of the list, whatever their case. */
export function recordedHeaders(headers: Headers): Record<string, string> {
  const names = Object.keys(headers).filter((name) => recorded.has(name.toLowerCase()));
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), headers[name] ?? '']));
}

/** All other headers, credentials among them: for one request, kept nowhere. */
export function credentialHeaders(headers: Headers): Record<string, string> {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(all.filter(([name]) => !recorded.has(name) && !ownHeaders.has(name)));
}

/** Throws `TypeError` for a URL that holds a credential: URLs are recorded and shown (SEC-4). */
export function refuseCredentialUrl(option: string, href: string): void {
  const { username, password, searchParams } = new URL(href);
  const isCredential = (name: string) => /(^|[_-])(key|apikey|token|secret|sig|signature)$/i.test(name);
  if (username !== '' || password !== '' || [...searchParams.keys()].some(isCredential))
    throw new TypeError(`${option}: expected one that sends its credential in a header, not in the URL`);
}
