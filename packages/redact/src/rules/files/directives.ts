import { endsBehind, patternsByTrigger } from '../../grammar/patterns-by-trigger.js';
import { reportPassword } from '../../grammar/report-password.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { mixesDigits } from '../../lexicon/benign-values.js';
import { isAlnum } from '../../lexicon/charset.js';

/** Passwords that a directive of a server's, a switch's or an installer's own language sets (RED-3). */
export function directiveRules(): Rule[] {
  return [directive];
}

/** Directives of servers, switches and installers: what stands between the words and the password. */
const DIRECTIVES = patternsByTrigger([
  ['stats auth ', /^[^\s:]{1,60}:/],
  ['createuser ', /^(?:-e \S{1,60} )?\S{1,60} (?:MD5|SHA(?:-?\d{3})?) ["']?/i],
  ['enable secret ', /^(?:level \d{1,2} )?(?:\d )?/],
  ['enable password ', /^(?:level \d{1,2} )?(?:\d )?/],
  [' secret 0 ', /^/],
  [' secret 5 ', /^/],
  [' secret 8 ', /^/],
  [' secret 9 ', /^/],
  [' password 0 ', /^/],
  [' password 7 ', /^/],
  ['snmp-server community ', /^/],
  ['rootpw ', /^(?:--(?:plaintext|iscrypted|allow-ssh) ){0,3}(?!--)/],
  ['-password password ', /^/],
  ['-password-again password ', /^/],
  ['root_password password ', /^/],
  ['root_password_again password ', /^/],
  ['requirepass ', /^["']?/],
  [':_authtoken=', /^["']?/],
  [':_password=', /^["']?/],
  [':rubygems_api_key: ', /^["']?/],
  ['[registry]\n', /^token = "/],
  ['[registries.', /^[\w-]{1,40}\]\ntoken = "/],
  ['credentials "', /^[\w.-]{1,80}" \{\s{1,12}token\s{1,8}=\s{1,8}"/],
  ['\n- name: ', /^\S{1,80}\n\s{1,4}user:\n\s{2,8}token: ["']?/],
  ['\nuser ', /^\S{1,80}\npassword ["']?/],
  ['masterauth ', /^["']?/],
  ['createuser ', /^(?:-e \S{1,60} )?\S{1,60} \S{3,8} \S{3,128} (?:AES|DES)(?:-?\d{3})? ["']?/i],
  ['insecure-password ', /^/],
  [' key 0 ', /^/],
  ['key 0 ', /^ {0,16}(?=[\da-f]{32,64};)/i],
  ['key 1 ', /^ {0,16}(?=[\da-f]{32,64};)/i],
  [' key 7 ', /^/],
  ['isakmp key ', /^(?:[06] )?/],
  [' message-digest-key ', /^\d{1,3} md5 (?:\d )?/],
  [' authentication-key ', /^(?:\d{1,5} (?:md5|sha1|sha256|cmac-aes-128) )?(?:\d )?/],
  [' key-string ', /^(?:\d )?/],
  ['neighbor ', /^\S{1,45} password (?:\d )?/],
  ['cache_peer ', /^[^\n]{0,100}? login=[^\s:]{1,60}:/],
  ['sqlconnectinfo ', /^\S{1,80} \S{1,60} /],
  ['rocommunity ', /^/],
  ['tacacs-server key ', /^(?:[067] )?/],
  ['ascii-text ', /^["']/],
  ['sv_setsteamaccount ', /^["']?/],
  ['npmauthident: ', /^["']?[^\s"':]{1,60}:/],
  ['[admins]\n', /^(?:;[^\n]{0,120}\n){0,4}[\w.-]{1,40} ?= ?/],
  ['open ', /^[\w.-]{3,80}(?: \d{2,5})?\n\s{0,4}user \S{1,40} /],
  ['rwcommunity ', /^/],
  ['trapcommunity ', /^/],
  ['trap2sink ', /^\S{1,80} /],
  ['com2sec ', /^(?:-Cn \S{1,40} )?\S{1,40} \S{1,60} (?!public|private)/],
  ['snmp community ', /^(?!public|private)/],
  ['radius-server ', /^[^\n]{0,80}?\bsecret ["']?/],
  ['tacplus-server ', /^[^\n]{0,80}?\bsecret ["']?/],
  ['nhrp authentication ', /^/],
  [' md5 ', /^\d{1,3} key ["']/],
  ['option key ', /^["']/],
  ['echo user ', /^[\w.@-]{1,60} (?=\S{0,60}\d)/],
  ['tenanttoken ', /^/],
  ['sentinel auth-pass ', /^\S{1,60} /],
  ['radius-server key ', /^(?:[0-7] )?/],
  [' pre-shared-key ', /^(?:[0-9] )?/],
  [' enc ', /^(?=[A-Za-z0-9+/]{24,}={0,2}(?:\s|$))/],
  ['md5_cred', /^ ?= ?/],
  ['lau.key.', /^(?:left|right) ?= ?/],
  ['bindmethod=', /^simple[^\n]{0,120}? credentials=/],
  ['.erlang.cookie', /^["']? {0,2}<<< {0,2}["']?/],
  ['dd *\n', /^[A-Z0-9#$@]{1,10}\n/i],
  ['<add key="http', /^s?:\/\/[^"\n]{1,120}" value="(?=[A-Za-z0-9+/]{40,}={0,2}")/],
  ['quote pass ', /^/],
  ['master.key', /^[^\n]{0,80}(?:\r?\n[ \t`]{0,8}(?:```)?){1,3}(?=[0-9a-f]{32}(?:\s|$))/],
  ['> auth ', /^(?=\S{0,60}\d)/],
  [' shared: ', /^["']?(?=[A-Za-z0-9+/]{43}=)/],
  [' key ', /^512 3 1(?:57|6[1-5]) /],
  [' hmac-sha256 ', /^["']?(?=[A-Za-z0-9+/]{43}=)/],
  [' hmac-sha512 ', /^["']?(?=[A-Za-z0-9+/]{86}==)/],
  ['ed25519-v3:', /^(?=[A-Za-z0-9+/]{86}==)/],
  ['password}', /^ ?=?(?: {2,30}|\t{1,4})(?=[^\s$@&%]\S{0,60}\d)/],
  [
    'password" elementtype="httpargument">',
    /^(?:\s{0,40}<boolProp [^<>\n]{1,60}>[^<\n]{0,10}<\/boolProp>){0,3}\s{0,40}<stringProp name="Argument\.value">/i,
  ],
  [' on >', /^(?=\S{4,128}(?: [~+&@%-]|\s{0,4}(?:\n|$)))/],
  [' on #', /^(?=[0-9a-f]{64}\b)/],
  ['socks5 ', /^[\w.-]{1,80}[ \t]{1,8}\d{2,5}[ \t]{1,8}\S{1,60}[ \t]{1,8}/],
  ['-setcookie ', /^["']?(?!cookie\b)/i],
  [': eap ', /^["']?/],
  [': psk ', /^["']?/],
  [': rsa ', /^\S{1,80} ["']/],
  ['unseal key ', /^\d{1,2}: /],
  ['encrypt', /^(?:": "| = ")(?=[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{32}"|[A-Za-z0-9+/]{43}=)/],
  ['cachemgr_passwd ', /^/],
  ['$user', /^\d{1,3}\$[ \t]?=[ \t]?(?=\S{0,60}\d)/],
  ['temporary password is generated for ', /^\S{1,80}: /],
  ['following password to proceed to installation:', /^\s{1,8}/],
]);

const directive: Rule = {
  triggers: [...DIRECTIVES.keys()],
  skipKinds: ['source'],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    if (isAlnum(trigger.charCodeAt(0)) && isAlnum(text.charCodeAt(start - 1))) return;
    for (const at of endsBehind(text, end, 160, DIRECTIVES.get(trigger))) confirmDirective(scan, at);
  },
};

function confirmDirective(scan: Scan, from: number): void {
  const { text } = scan;
  const value = /^(?:[^\s"'`;<]|<(?!\/)){4,128}(?=["'`;<]|\s|$)/.exec(text.slice(from, from + 130));
  // In prose a word follows: a directive's value mixes digits in, or ends its line.
  if (
    value === null ||
    !(
      mixesDigits(value[0]) ||
      /^(?:<\/|["'`;]{0,2}(?: [A-Z]{2,6}(?: \d{1,3})?)?\s*(?:\n|$))/.test(
        text.slice(from + value[0].length, from + 160),
      )
    )
  )
    return;
  reportPassword(scan, from, value[0]);
}
