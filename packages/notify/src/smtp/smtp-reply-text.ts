/**
 * What a reply's words say beyond its codes: `5.7.1` alone means a relay rule, a block list, spam
 * or one mailbox's policy.
 */
export type ReplySubject = 'client' | 'sender' | 'rate' | 'recipient' | 'access';

/** In order: the first pattern that matches decides. */
const patterns: readonly (readonly [ReplySubject, RegExp])[] = [
  ['client', /\brelay(?:ing)?\b.{0,40}\b(?:denied|not permitted|not allowed|prohibited)\b|\bunable to relay\b/],
  ['rate', /\btoo much mail\b|\brate limit|\bthrottl|\btoo many\b(?! (?:hops|recipients|received)\b)/],
  [
    'rate',
    /\b(?:sending|submission|daily|hourly|message|messages|user sending)\b.{0,10}\b(?:limit|quota)\b.{0,20}\bexceed/,
  ],
  ['rate', /\bexceed\w*\b.{0,30}\b(?:sending|submission|daily|hourly|message|rate)\b.{0,10}\b(?:limit|quota)\b/],
  // postfix, for a recipient that its access table rejects, and for every recipient of a client
  // that should have logged in.
  ['access', /\brecipient address rejected: access denied\b/],
  [
    'recipient',
    /\brecipient address rejected\b|\bno such user\b|\buser unknown\b|\bunknown user\b|\bmailbox unavailable\b/,
  ],
  ['sender', /\bsender address rejected\b|\bsend ?as ?denied\b|\bpermissions? to send\b|\bbanned sender\b/],
  ['sender', /\b(?:spf|dkim|dmarc)\b|\breverse (?:dns|host ?name|lookup)\b|\bptr record\b/],
  [
    'client',
    /\bclient\b.{0,60}\b(?:blocked|rejected|denied|refused|not allowed)\b|\bhelo command rejected\b|\bbanned sending ip\b/,
  ],
  ['client', /\baccess denied\b|\bnot authenticated\b|\bauthentication (?:is )?required\b/],
];

/** Long texts of hostile servers are not read to their end. */
const MAX_CHARS = 2_000;

/**
 * Whom a refusal is about, by its words: this client or sender, its sending rate, or the recipient;
 * `access` where it is the recipient's or that of a client without a login; undefined where they do
 * not tell. The words themselves are kept nowhere: they may repeat addresses.
 */
export function classifyReplyText(reply: string): ReplySubject | undefined {
  const lines = reply.slice(0, MAX_CHARS).split(/\r?\n/);
  const words = lines.map((line) => line.replace(/^\d{3}[ -]?(?:[245]\.\d{1,3}\.\d{1,3}\b ?)?/, '')).join(' ');
  return patterns.find(([, pattern]) => pattern.test(words.toLowerCase()))?.[0];
}
