/** The whole value must be digits: `1e3`, `-5`, `Infinity` and ISO dates are not delays. */
const wholeSeconds = /^\d+$/;
const milliseconds = /^\d+(?:\.\d+)?$/;

const weekdays = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const longWeekdays = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';

/**
 * The three forms of RFC 9110, section 5.6.7: IMF-fixdate, RFC 850 with its two-digit year, asctime
 * with its space-padded day.
 */
const dateForms = [
  new RegExp(`^(?:${weekdays}), (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^(?:${longWeekdays}), (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  new RegExp(`^(?:${weekdays}) ${month} (?<day>\\d{2}| \\d) ${time} (?<year>\\d{4})$`),
];

/** A two-digit year more than 50 years ahead is the most recent past year with those digits (RFC 9110). */
function fullYear(text: string, nowMs: number): number {
  if (text.length === 4) return Number(text);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const candidate = thisYear - (thisYear % 100) + Number(text);
  return candidate > thisYear + 50 ? candidate - 100 : candidate;
}

/**
 * Milliseconds since the epoch of an HTTP date in any of its three forms; undefined for anything
 * else, 30 February included.
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of dateForms) {
    const found = form.exec(text)?.groups;
    if (found === undefined) continue;
    const [day, hour, minute, second] = [found['day'], found['hour'], found['minute'], found['second']].map(Number);
    if (day === undefined || hour === undefined || minute === undefined || second === undefined) return undefined;
    const monthIndex = months.indexOf(found['month'] ?? '');
    const midnight = new Date(0);
    midnight.setUTCFullYear(fullYear(found['year'] ?? '', nowMs), monthIndex, day);
    if (midnight.getUTCDate() !== day || midnight.getUTCMonth() !== monthIndex) return undefined;
    if (hour > 23 || minute > 59 || second > 60) return undefined; // 60: a leap second
    return midnight.getTime() + (hour * 3_600 + minute * 60 + second) * 1_000;
  }
  return undefined;
}

function parseRetryAfterValue(text: string, nowMs: number): number | undefined {
  if (wholeSeconds.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  const at = parseHttpDate(text, nowMs);
  return at === undefined ? undefined : Math.max(0, at - nowMs);
}

/**
 * How long the peer asks to be left alone, in milliseconds from `nowMs`: `Retry-After` (seconds or
 * an HTTP date) and the vendors' `retry-after-ms`, the longer of the two. A date in the past is 0;
 * a value that is not exactly one of these is as if absent, so that the caller's own backoff
 * counts. No ceiling here (ERR-3 and ruling R10 apply it).
 */
export function parseRetryAfter(
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): number | undefined {
  const standard = headers['retry-after']?.trim();
  const vendor = headers['retry-after-ms']?.trim();
  const waits = [
    standard === undefined ? undefined : parseRetryAfterValue(standard, nowMs),
    vendor !== undefined && milliseconds.test(vendor)
      ? Math.min(Math.ceil(Number(vendor)), Number.MAX_SAFE_INTEGER)
      : undefined,
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}
