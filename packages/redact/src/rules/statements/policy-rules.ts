import { startsToken } from '../../grammar/boundary.js';
import type { Rule } from '../../grammar/rule.js';
import { HEX, isAlnum, isIn } from '../../lexicon/charset.js';
import type { ResolvedPolicy } from '../../policy/resolve-policy.js';

/** Rules made of what a policy lists: addresses, and the users of URIs (RED-5, RED-7). */
export function policyRules(policy: ResolvedPolicy): Rule[] {
  return [
    ...(policy.internalIps.length > 0 ? listedAddresses(policy.internalIps) : []),
    ...(policy.uriUsers ? [uriUser] : []),
  ];
}

const V4 = /\d{1,3}(?:\.\d{1,3}){3}(?![\d]|\.\d)/y;
const MAX_V6 = 45;

/** Listed addresses, found by the start that all of a block share. */
function listedAddresses(blocks: readonly string[]): Rule[] {
  // Few policies list addresses; the others load nothing of the network.
  const { BlockList, isIPv4, isIPv6 } = process.getBuiltinModule('node:net');
  const listed = new BlockList();
  const starts = { ipv4: new Set<string>(), ipv6: new Set<string>() };
  for (const block of blocks) {
    const [host = '', prefix] = block.split('/');
    const family = isIPv4(host) ? 'ipv4' : 'ipv6';
    if (prefix === undefined) listed.addAddress(host, family);
    else listed.addSubnet(host, Number(prefix), family);
    if (family === 'ipv4') starts.ipv4.add(`${host.split('.')[0]}.`);
    else for (const start of hextetsOf(host)) starts.ipv6.add(start);
  }
  const v4: Rule = {
    triggers: [...starts.ipv4],
    confirm(scan, start) {
      if (!startsToken(scan.text, start) || scan.text.charCodeAt(start - 1) === 46) return;
      V4.lastIndex = start;
      const match = V4.exec(scan.text);
      if (match !== null && isIPv4(match[0]) && listed.check(match[0], 'ipv4'))
        scan.report('internal-ip', start, V4.lastIndex, 'low');
    },
  };
  const v6: Rule = {
    triggers: [...starts.ipv6],
    confirm(scan, start) {
      const { text } = scan;
      if (!startsToken(text, start) || text.charCodeAt(start - 1) === 58) return;
      let stop = start;
      while (
        stop - start < MAX_V6 &&
        (isIn(HEX, text.charCodeAt(stop)) || text.charCodeAt(stop) === 58 || text.charCodeAt(stop) === 46)
      )
        stop += 1;
      while (stop > start && text.charCodeAt(stop - 1) === 46) stop -= 1;
      const found = text.slice(start, stop);
      if (!isAlnum(text.charCodeAt(stop)) && isIPv6(found) && listed.check(found, 'ipv6'))
        scan.report('internal-ip', start, stop, 'low');
    },
  };
  return [...(starts.ipv4.size > 0 ? [v4] : []), ...(starts.ipv6.size > 0 ? [v6] : [])];
}

/** How the first 16 bits of an address may be written, with and without leading zeros; `::` is how zeros begin. */
function hextetsOf(host: string): string[] {
  const first = host.split(':')[0] as string;
  if (Number.parseInt(first === '' ? '0' : first, 16) === 0) return ['::', '0:', '00:', '000:', '0000:'];
  const bare = first.replace(/^0+/, '');
  return [0, 1, 2, 3].filter((zeros) => zeros + bare.length <= 4).map((zeros) => `${'0'.repeat(zeros)}${bare}:`);
}

const USER = /[^\s/?#@:"'`<>[\]\\{}$%]{1,128}(?=(?::[^\s/?#@"'`<>\\]{0,256})?@[A-Za-z0-9[])/y;

/** The user in front of a URI's password or host. */
const uriUser: Rule = {
  triggers: ['://', ':\\/\\/'],
  confirm(scan, start, end) {
    if (!isAlnum(scan.text.charCodeAt(start - 1))) return;
    USER.lastIndex = end;
    if (USER.test(scan.text)) scan.report('uri-user', end, USER.lastIndex, 'low');
  },
};
