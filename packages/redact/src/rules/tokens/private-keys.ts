import { type LogicalLine, logicalLineAt, logicalLineBefore } from '../../grammar/logical-lines.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { type BodyStyle, collectKeyBody, isKeyBody, runsOfLine } from '../../grammar/tokens/key-body.js';
import { isWordLike } from '../../lexicon/benign-values.js';
import { BASE64, BASE64URL, isAlnum, isDigit, isIn, isUpper, PERCENT_BASE64 } from '../../lexicon/charset.js';

const RULE = 'private-key';
/** Longest label between the dashes of a BEGIN or END line. */
const MAX_LABEL = 60;
const MAX_LINES_BACK = 600;
const SHORTEST_COMMENTED = 100;

/**
 * Private keys (RED-4): PEM and OpenPGP armor, SSH2, PuTTY, OpenVPN, minisign, JWK and PEM in
 * base64, whole or cut off at either end, in diffs, comments, string literals and escaped on one
 * line. The BEGIN and END lines, certificates and public keys stay.
 */
export function privateKeyRules(): Rule[] {
  return [begin, end, opensshBody, commentedKey, puttyLines, jsonWebKey, bareWebKey, wrappedPem, percentEncoded];
}

interface Reached {
  /** Everything before was looked at by an earlier body. */
  floor: number;
}

const reached = (scan: Scan): Reached => scan.memo(begin, () => ({ floor: 0 }));

const begin: Rule = {
  triggers: ['-----begin ', '---- begin '],
  confirm(scan, start, labelStart) {
    const bodyStart = endOfKeyMarker(scan.text, labelStart);
    if (bodyStart < 0 || start < reached(scan).floor) return;
    const body = collectKeyBody(scan, bodyStart, styleAt(scan, start));
    if (isKeyBody(body.spans)) scan.reportSpans(RULE, body.spans, 'high');
    reached(scan).floor = Math.max(reached(scan).floor, body.end);
  },
};

const OPENVPN = 'OpenVPN ';
const VPN_LABEL = /OpenVPN (?:Static key V1|tls-crypt-v2 (?:client|server) key)/y;

function endOfVpnLabel(text: string, labelStart: number): number {
  VPN_LABEL.lastIndex = labelStart;
  return VPN_LABEL.test(text) ? VPN_LABEL.lastIndex : labelStart;
}

/** End of `... PRIVATE KEY-----` from its label on, or -1 for any other marker. */
export function endOfKeyMarker(text: string, labelStart: number): number {
  let at = text.startsWith(OPENVPN, labelStart) ? endOfVpnLabel(text, labelStart) : labelStart;
  if (at === labelStart) {
    while (
      at - labelStart < MAX_LABEL &&
      (isUpper(text.charCodeAt(at)) || isDigit(text.charCodeAt(at)) || text.charCodeAt(at) === 32)
    )
      at += 1;
    const label = text.slice(labelStart, at).trimEnd();
    if (!label.endsWith('PRIVATE KEY') && !label.endsWith('PRIVATE KEY BLOCK')) return -1;
  }
  const dashes = at;
  while (text.charCodeAt(at) === 45 && at - dashes < 5) at += 1;
  return at - dashes >= 4 ? at : -1;
}

/**
 * Lines carry diff marks when the caller says so, or when the marker's own line starts with one in
 * its first column.
 */
function styleAt(scan: Scan, marker: number): BodyStyle {
  const lineStart = scan.lines.startOf(marker);
  const prefix = prefixOf(scan.text, lineStart, marker);
  if (scan.diff !== undefined) return { diffMarks: scan.diff, prefix };
  const before = scan.text.charCodeAt(marker - 1);
  const first = scan.text.charCodeAt(lineStart);
  const diffMarks =
    first === 43 || before === 43 || before === 45 || (before === 32 && isFreshColumn(scan.text, marker - 1));
  return { diffMarks, prefix };
}

/**
 * Length of what a log writes before each of its lines: words and numbers that end in a space, no
 * code and no quote.
 */
function prefixOf(text: string, lineStart: number, marker: number): number {
  const length = marker - lineStart;
  if (length < 8 || length > 120 || text.charCodeAt(marker - 1) !== 32) return 0;
  return /^[-+ ]?[\w[\]().,:|/+<>@ \t-]+$/.test(text.slice(lineStart, marker)) &&
    /\d/.test(text.slice(lineStart, marker))
    ? length
    : 0;
}

function isFreshColumn(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return at === 0 || code === 10 || code === 13 || (code === 110 && text.charCodeAt(at - 2) === 92);
}

/** An END whose BEGIN is out of sight: walk up while lines carry a key. */
const end: Rule = {
  triggers: ['-----end ', '---- end '],
  confirm(scan, start, labelStart) {
    const { text } = scan;
    const memory = reached(scan);
    if (endOfKeyMarker(text, labelStart) < 0 || start <= memory.floor) return;
    const spans = walkUp(scan, start, memory.floor, styleAt(scan, start));
    memory.floor = start;
    if (isKeyBody(spans)) scan.reportSpans(RULE, spans, 'high');
  },
};

function walkUp(scan: Scan, marker: number, floor: number, style: BodyStyle): number[] {
  const { text } = scan;
  const pieces: number[][] = [];
  let to = marker;
  while (to > floor && !isLineStart(text, to) && marker - to < 400) to -= 1;
  const sameLine = runsOfLine(
    scan,
    { start: Math.max(floor, to), end: marker, next: marker, fresh: true },
    { ...style, prefix: 0 },
    true,
    0,
  );
  if (sameLine.length > 0) pieces.push(sameLine);
  let quiet = 0;
  for (let count = 0; count < MAX_LINES_BACK && quiet < 3; count += 1) {
    const line = logicalLineBefore(text, to, floor);
    if (line === undefined) break;
    if (text.startsWith('-----', line.start)) break;
    const last = count === 0 && pieces.length === 0;
    const runs = line.start === 0 && !last ? firstLineRuns(scan, line, style) : runsOfLine(scan, line, style, last, 64);
    if (runs.length === 0 && /[A-Za-z0-9]/.test(text.slice(line.start, Math.min(line.end, line.start + 200)))) break;
    quiet = runs.length === 0 ? quiet + 1 : 0;
    if (runs.length > 0) pieces.push(runs);
    to = line.start;
    if (to <= floor) break;
  }
  return pieces.reverse().flat();
}

/** The first line of a text may be the rest of a line of key: anything unlike a word counts. */
function firstLineRuns(scan: Scan, line: LogicalLine, style: BodyStyle): number[] {
  const runs = runsOfLine(scan, line, style, true, 64);
  const single = runs.length === 2 && !isWordLike(scan.text.slice(runs[0], runs[1]));
  return single || runs.some((at, index) => index % 2 === 1 && at - (runs[index - 1] as number) >= 40) ? runs : [];
}

function isLineStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return at === 0 || code === 10 || code === 13 || ((code === 110 || code === 114) && text.charCodeAt(at - 2) === 92);
}

/** `openssh-key-v1` in base64: the body of an OpenSSH key without its BEGIN line. */
const opensshBody: Rule = {
  triggers: ['b3blbnnzac1rzxktdje'],
  confirm(scan, start) {
    if (!scan.text.startsWith('b3BlbnNzaC1rZXktdjE', start) || start < reached(scan).floor) return;
    const body = collectKeyBody(scan, start, styleAt(scan, start));
    scan.reportSpans(RULE, body.spans, 'high');
    reached(scan).floor = Math.max(reached(scan).floor, body.end);
  },
};

/** The secret keys of signify and minisign: a comment that says so, and a line of base64 below it. */
const commentedKey: Rule = {
  triggers: ['secret key\nrw', 'secret key\r\nrw', 'secret key\n+rw'],
  confirm(scan, _start, end) {
    const from = end - 2;
    const stop = scan.runEnd(BASE64, from);
    if (stop - from >= SHORTEST_COMMENTED) scan.report(RULE, from, stop, 'high');
  },
};

/** PuTTY: `Private-Lines: n`, then n lines. */
const puttyLines: Rule = {
  triggers: ['private-lines:'],
  confirm(scan, start, from) {
    const { text } = scan;
    const head = /^\s{0,4}(\d{1,3})/.exec(text.slice(from, from + 8));
    if (head === null || start < reached(scan).floor) return;
    const style = styleAt(scan, start);
    const spans: number[] = [];
    let line = logicalLineAt(text, from, 64, true);
    for (let left = Number(head[1]); left > 0 && line.next > line.end; left -= 1) {
      line = logicalLineAt(text, line.next, 400, true);
      const runs = runsOfLine(scan, line, style, true, 0);
      if (runs.length !== 2) break;
      spans.push(...runs);
    }
    reached(scan).floor = Math.max(reached(scan).floor, line.start);
    scan.reportSpans(RULE, spans, 'high');
  },
};

/** The private exponent or scalar of a JSON web key, its primes, or the key of a symmetric one. */
const jsonWebKey: Rule = {
  triggers: ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].flatMap((name) => [`"${name}"`, `"${name}\\"`, `'${name}'`]),
  confirm(scan, _start, from) {
    const { text } = scan;
    let at = from;
    while (at - from < 12 && (text.charCodeAt(at) === 58 || text.charCodeAt(at) === 32 || text.charCodeAt(at) === 92))
      at += 1;
    if (at === from || (text.charCodeAt(at) !== 34 && text.charCodeAt(at) !== 39)) return;
    const stop = scan.runEnd(BASE64URL, at + 1);
    const after = text.charCodeAt(stop);
    if (stop - at > 42 && stop - at < 1500 && (after === 34 || after === 39 || after === 92))
      scan.report(RULE, at + 1, stop, 'high');
  },
};

const BARE_MEMBER = /[{,\s](?:d|p|q|dp|dq|qi|k)\s{0,4}:\s{0,4}(["'])([\w-]{43,1500})\1/g;
const LONGEST_KEY_OBJECT = 4000;

/** The same as code writes it, without quotes round its names. */
const bareWebKey: Rule = {
  triggers: ['kty:', 'kty :'],
  confirm(scan, _start, from) {
    const window = scan.text.slice(from, from + LONGEST_KEY_OBJECT);
    const close = window.indexOf('}');
    for (const member of window.slice(0, close < 0 ? undefined : close).matchAll(BARE_MEMBER)) {
      const end = from + member.index + member[0].length - 1;
      scan.report(RULE, end - (member[2] as string).length, end, 'high');
    }
  },
};

/** A PEM file in base64, as Kubernetes and CI variables hold it: `-----BEGIN` is `LS0tLS1CRUdJTi`. */
const wrappedPem: Rule = {
  triggers: ['ls0tls1crudjti'],
  confirm(scan, start) {
    const { text } = scan;
    if (
      !text.startsWith('LS0tLS1CRUdJTi', start) ||
      (isAlnum(text.charCodeAt(start - 1)) && isIn(BASE64, text.charCodeAt(start - 2)))
    )
      return;
    const lineEnd = scan.runEnd(BASE64, start);
    if (
      !Buffer.from(text.slice(start, Math.min(lineEnd, start + 120)), 'base64')
        .toString('latin1')
        .includes('PRIVATE KEY')
    )
      return;
    if (start < reached(scan).floor) return;
    const body = collectKeyBody(scan, start, styleAt(scan, start));
    if (body.spans.length === 0) body.spans.push(start, lineEnd);
    scan.reportSpans(RULE, body.spans, 'high');
    reached(scan).floor = Math.max(reached(scan).floor, body.end, lineEnd);
  },
};

/** A key in a query or a form: spaces and line breaks of it are escapes. */
const percentEncoded: Rule = {
  triggers: ['-----begin%20', '-----begin+'],
  confirm(scan, start, labelStart) {
    const { text } = scan;
    const label = /^(?:[A-Z0-9]{2,12}(?:%20|\+)){0,4}PRIVATE(?:%20|\+)KEY(?:(?:%20|\+)BLOCK)?-----/.exec(
      text.slice(labelStart, labelStart + 80),
    );
    if (label === null || start < reached(scan).floor) return;
    const from = labelStart + label[0].length;
    const stop = scan.runEnd(PERCENT_BASE64, from);
    reached(scan).floor = stop;
    if (stop - from >= 16) scan.report(RULE, from, stop, 'high');
  },
};
