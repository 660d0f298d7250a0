import { startsToken } from '../../grammar/boundary.js';
import type { Rule } from '../../grammar/rule.js';
import { ALNUM, HEX, IDENTIFIER, isAlnum, isDigit, isIn } from '../../lexicon/charset.js';
import { passesLuhn } from '../../lexicon/checksums.js';
import type { ResolvedPolicy } from '../../policy/resolve-policy.js';

/** Personal data and internal names, each by policy (RED-6, RED-7). */
export function piiRules(policy: ResolvedPolicy): Rule[] {
  return [
    ...(policy.emails ? [email] : []),
    ...(policy.privateIps ? [privateIpv4, privateIpv6] : []),
    ...(policy.pan ? [pan] : []),
    ...(policy.internalHosts.length > 0 ? [internalHosts(policy.internalHosts)] : []),
  ];
}

const email: Rule = {
  triggers: ['@'],
  confirm(scan, start, end) {
    const { text } = scan;
    let from = start;
    while (start - from < 64 && (isIn(IDENTIFIER, text.charCodeAt(from - 1)) || text.charCodeAt(from - 1) === 43))
      from -= 1;
    while (from < start && !isAlnum(text.charCodeAt(from))) from += 1;
    let stop = scan.runEnd(IDENTIFIER, end);
    while (stop > end && !isAlnum(text.charCodeAt(stop - 1))) stop -= 1;
    const domain = text.slice(end, Math.min(stop, end + 254));
    if (from < start && /^(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}$/.test(domain)) scan.report('email', from, stop, 'low');
  },
};

const PRIVATE_V4 =
  /(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/y;

const privateIpv4: Rule = {
  triggers: ['10.', '192.168.', '172.1', '172.2', '172.3', '169.254.', '100.'],
  confirm(scan, start) {
    const before = scan.text.charCodeAt(start - 1);
    if (!startsToken(scan.text, start) || before === 46) return;
    PRIVATE_V4.lastIndex = start;
    const match = PRIVATE_V4.exec(scan.text);
    if (match?.[0].split('.').every((part) => Number(part) <= 255))
      scan.report('private-ip', start, PRIVATE_V4.lastIndex, 'low');
  },
};

const privateIpv6: Rule = {
  triggers: ['fc', 'fd', 'fe80:'],
  confirm(scan, start) {
    const { text } = scan;
    if (!startsToken(text, start) || text.charCodeAt(start - 1) === 58) return;
    let stop = start;
    let colons = 0;
    while (stop - start < 45 && (isIn(HEX, text.charCodeAt(stop)) || text.charCodeAt(stop) === 58)) {
      if (text.charCodeAt(stop) === 58) colons += 1;
      stop += 1;
    }
    const address = text.slice(start, stop);
    const whole = colons === 7 || (colons >= 2 && address.includes('::'));
    if (whole && /^f[cde][0-9a-f]{2}:/i.test(address) && !isIn(ALNUM, text.charCodeAt(stop)))
      scan.report('private-ip', start, stop, 'low');
  },
};

/** Issuer ranges start with these digits; 13 to 19 digits in groups, Luhn-valid. */
const pan: Rule = {
  triggers: [
    '34',
    '37',
    '30',
    '35',
    '36',
    '38',
    '39',
    '40',
    '41',
    '42',
    '43',
    '44',
    '45',
    '46',
    '47',
    '48',
    '49',
    '51',
    '52',
    '53',
    '54',
    '55',
    '56',
    '57',
    '58',
    '50',
    '60',
    '62',
    '63',
    '64',
    '65',
    '67',
    '22',
    '23',
    '24',
    '25',
    '26',
    '27',
  ],
  confirm(scan, start) {
    const { text } = scan;
    const before = text.charCodeAt(start - 1);
    if (
      !startsToken(text, start) ||
      before === 46 ||
      before === 45 ||
      before === 95 ||
      (before === 32 && endsNumber(text, start - 1))
    )
      return;
    let digits = '';
    let at = start;
    let stop = start;
    while (digits.length < 20 && at - start < 40) {
      const code = text.charCodeAt(at);
      if (isDigit(code)) {
        digits += text.charAt(at);
        stop = at + 1;
      } else if ((code !== 32 && code !== 45) || !isDigit(text.charCodeAt(at + 1))) break;
      at += 1;
    }
    if (digits.length < 13 || digits.length > 19 || isAlnum(text.charCodeAt(stop)) || new Set(digits).size < 3) return;
    if (passesLuhn(digits)) scan.report('pan', start, stop, 'low');
  },
};

/** True when a number, and no word, ends at `to`: the digits after it are its next group. */
function endsNumber(text: string, to: number): boolean {
  let at = to;
  while (to - at < 20 && isDigit(text.charCodeAt(at - 1))) at -= 1;
  return at < to && !isAlnum(text.charCodeAt(at - 1));
}

function internalHosts(hosts: readonly string[]): Rule {
  const suffixes = new Set(hosts.filter((host) => host.startsWith('.')));
  return {
    triggers: hosts,
    confirm(scan, start, end, trigger) {
      const { text } = scan;
      const after = text.charCodeAt(end);
      if (isAlnum(after) || after === 45 || after === 95 || (after === 46 && isAlnum(text.charCodeAt(end + 1)))) return;
      const from = suffixes.has(trigger) ? scan.runStart(IDENTIFIER, start, 200) : start;
      const before = text.charCodeAt(from - 1);
      if (from === start && suffixes.has(trigger)) return;
      if (!suffixes.has(trigger) && (!startsToken(text, start) || before === 45 || before === 46 || before === 95))
        return;
      scan.report('internal-host', from, end, 'low');
    },
  };
}
