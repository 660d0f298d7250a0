import { reachOf } from '../../grammar/reach.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { keyBytesAt } from '../../grammar/tokens/key-bytes.js';

const RULE = 'private-key';

/**
 * Private keys written as their numbers (RED-4): .NET's XML, OpenSSL's text, the pair of keys that
 * Solana keeps in a file.
 */
export function keyNumberRules(): Rule[] {
  return [xmlNumbers, printedNumbers, namedExponent, pairInFile];
}

const MOST_NUMBERS = 6;
/** The public part ends with the exponent; what follows it is secret. */
const XML_NUMBER = /\s{0,40}<(P|Q|DP|DQ|InverseQ|D)>\s{0,40}([A-Za-z0-9+/=]{16,1400})\s{0,40}<\/\1>/y;

/** `<RSAKeyValue><Modulus>…</Modulus><Exponent>AQAB</Exponent><P>…</P>…`. */
const xmlNumbers: Rule = {
  triggers: ['</exponent>'],
  confirm(scan, _start, end) {
    let at = end;
    for (let count = 0; count < MOST_NUMBERS; count += 1) {
      XML_NUMBER.lastIndex = at;
      const number = XML_NUMBER.exec(scan.text);
      if (number === null) return;
      at += number[0].length;
      const from = at - number[0].length + number[0].indexOf(number[2] as string, number[0].indexOf('>'));
      scan.report(RULE, from, from + (number[2] as string).length, 'high');
    }
  },
};

const MOST_LINES = 64;
const FEWEST_BYTES = 16;
/** A line of bytes between colons, below the number's name. */
const BYTES = /\r?\n([-+>]?[ \t]{1,16})((?:[\da-f]{2}:){0,40}(?:[\da-f]{2})?)(?=\r?\n|$)/iy;

/** `openssl rsa -text`: `privateExponent:` and lines of `00:c4:…` below it. */
const printedNumbers: Rule = {
  triggers: ['privateexponent:', 'prime1:', 'prime2:', 'exponent1:', 'exponent2:', 'coefficient:', '\npriv:'],
  confirm(scan, start, end) {
    const reach = reachOf(scan, printedNumbers);
    if (start < reach.end) return;
    const spans = inBase64(scan, end) ?? linesOfBytes(scan, end);
    reach.end = spans[spans.length - 1] ?? end;
    let bytes = 0;
    for (let i = 0; i < spans.length; i += 2) bytes += ((spans[i + 1] as number) - (spans[i] as number)) / 3;
    if (bytes >= FEWEST_BYTES) scan.reportSpans(RULE, spans, 'high');
  },
};

/** BIND writes them so: one line of base64. */
const BASE64_LINE = /[ \t]{1,4}([A-Za-z\d+/]{40,700}={0,2})(?=\s|$)/y;

function inBase64({ text }: Scan, from: number): number[] | undefined {
  BASE64_LINE.lastIndex = from;
  const found = BASE64_LINE.exec(text);
  return found === null ? undefined : [BASE64_LINE.lastIndex - (found[1] as string).length, BASE64_LINE.lastIndex];
}

function linesOfBytes(scan: Scan, from: number): number[] {
  const spans: number[] = [];
  let at = from;
  for (let count = 0; count < MOST_LINES; count += 1) {
    BYTES.lastIndex = at;
    const line = BYTES.exec(scan.text);
    if (line === null || line[2] === '') break;
    at += line[0].length;
    spans.push(at - (line[2] as string).length, at);
  }
  return spans;
}

/**
 * `SigningPrivateExponent=`, `rsa.privateexp=0x…`, `"PrivateKey": { "Exponent": "…"`: how Unreal
 * Engine keeps the key it signs with.
 */
const EXPONENT =
  /^["']?\s{0,4}[:=]\s{0,4}(?:\{\s{0,80}"exponent"\s{0,4}:\s{0,4})?["']?(?:0x)?([a-z\d+/]{64,1400}={0,2})/i;

const namedExponent: Rule = {
  triggers: ['privateexponent', 'privateexp', '"privatekey"'],
  confirm(scan, start, end, trigger) {
    const from = trigger.startsWith('"') ? end - 1 : end;
    const found = EXPONENT.exec(scan.text.slice(from, from + 1600));
    if (found === null || start < reachOf(scan, namedExponent).end) return;
    const last = from + found[0].length;
    reachOf(scan, namedExponent).end = last;
    scan.report(RULE, last - (found[1] as string).length, last, 'high');
  },
};

/** `[174,47,…]`, 64 bytes and nothing else. */
const PAIR = /^\s{0,8}\[(?:\s{0,8}\d{1,3}\s{0,8},){63}\s{0,8}\d{1,3}\s{0,8}\]\s{0,8}$/;
const LONGEST_PAIR = 1400;

const pairInFile: Rule = {
  triggers: [],
  confirm() {},
  confirmText(scan) {
    const { text } = scan;
    if (text.length > LONGEST_PAIR || !PAIR.test(text)) return;
    const spans = keyBytesAt(text, text.indexOf('['));
    if (spans !== undefined) scan.reportSpans(RULE, spans, 'low');
  },
};
