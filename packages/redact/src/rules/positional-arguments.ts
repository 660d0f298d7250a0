import type { Rule } from '../rule.js';
import { reportWord } from './command-words.js';
import { endsBehind, patternsByTrigger } from './patterns-by-trigger.js';

/** Options of SNMP's third version before its passphrases. */
const SNMP_AUTH = /^(?:-(?!A )\w{1,4} (?:[^\s-]\S{0,60} )?){0,10}-A /;
const SNMP_PRIVACY = /^(?:-(?!X )\w{1,4} (?:[^\s-]\S{0,60} )?){0,10}-X /;

/** Commands whose password is an argument by its place: what stands between the command and it. */
const ARGUMENTS = patternsByTrigger([
  ['net use ', /^(?:\S{1,3} )?\\\\\S{3,120} (?=["']?[^\s"'/*]\S{2,60}["']? \/user:)/i],
  ['net use ', /^(?:\S{1,3} )?\\\\\S{3,120} \/user:\S{1,60} (?=[^\s/])/i],
  ['signtool sign ', /^(?:\/(?!p )\w{1,12} (?:[^/\s]\S{0,120} )?){0,12}\/p /i],
  ['gh secret set ', /^\S{1,80} (?:-(?!b )-?(?!body)\w{1,12}[ =]\S{1,80} ){0,4}(?:--body|-b)[ =]/],
  ['git config ', /^(?:--\w{1,12} ){0,3}[\w.-]{0,60}(?:token|password|secret|passwd)\w{0,20} /i],
  ['htpasswd -', /^[a-zA-Z]*b[a-zA-Z]*(?: -[a-zA-Z]+)* \S{1,120} \S{1,60} /],
  ['vault login ', /^(?:-\S{1,40} )*(?=[^-\s])/],
  ['convertto-securestring ', /^(?:-string )?(?=\\?["'])/i],
  ['npm config set ', /^\S{1,120}(?:_authToken|_password|_auth)[ =]/],
  ['configure set aws_secret_access_key ', /^/],
  ['configure set aws_session_token ', /^/],
  ['net user ', /^[^\s/]\S{0,60} (?=[^\s/*]\S{3,60}(?: \/\w|\s{0,8}$))/im],
  ['schtasks ', /^(?:\/(?!rp )\w{1,8}(?: [^\s/]\S{0,80})? ){0,12}\/rp /i],
  ['xfreerdp ', /^(?:[^\s/]\S{0,80} |\/(?!p:)\S{1,80} ){0,12}\/p:/],
  ['nmcli ', /^(?!.{0,120}-file)[^\n|;]{0,120}? password /],
  ['addprinc ', /^(?:-(?!pw )\w{1,12} (?:[^\s-]\S{0,40} )?){0,6}-pw /],
  ['rabbitmqctl add_user ', /^\S{1,60} /],
  ['rabbitmqctl change_password ', /^\S{1,60} /],
  ['bundle config ', /^(?:--\w{1,12} |set ){0,3}[\w.-]{1,80}\.[a-z]{2,8} [^\s:]{1,60}:/],
  ['lftp ', /^(?:-[eop] \S{1,60} ){0,3}-u [^\s,]{1,60},/],
  ['openssl passwd ', /^(?:-(?:[156]|apr1|crypt) |-salt [^\s`$]{1,40} ){1,4}(?=[^-\s<|])/],
  ['wpa_passphrase ', /^(?:"[^"\n]{1,40}"|'[^'\n]{1,40}'|[^\s"'=-]\S{0,40}) /],
  ['vault kv put ', /^(?:-\S{1,40} ){0,4}\S{1,120} (?:\w{1,40}=\S{1,120} ){0,4}?\w{1,40}=(?=["']?[^\s@"']{0,60}\d)/],
  ['set password for ', /^\S{1,80} ?= ?(?:password\()?(?=["'])/i],
  ['ldappasswd ', /^[^\n|;]{0,200}? -s /],
  ['slappasswd ', /^(?:-[hTo] \S{1,40} ){0,3}-s /],
  ['consul ', /^[^\n|;]{0,120}? -(?:http-)?token[ =]/],
  ['plink ', /^[^\n|;]{0,120}? -pw /],
  ['pscp ', /^[^\n|;]{0,120}? -pw /],
  ['.logon ', /^(?:[\w.-]{1,60}\/)?[\w.-]{1,40},/],
  ['sp_addlogin ', /^(?:@loginame\s?=\s?)?N?'[^'\n]{1,60}',\s{0,4}(?:@passwd\s?=\s?)?N?(?=')/i],
  ['p4 login <<< ', /^/],
  [
    'ftp -',
    /^[a-z]{1,5}(?: -[a-z]{1,5}){0,3}(?: [\w.-]{1,80})? <<-? ?["']?\w{1,16}["']?\n(?:[^\n]{0,80}\n){0,3}?[ \t]{0,8}(?:quote )?user \S{1,60} /i,
  ],
  ['http -a ', /^[^\s:]{1,60}:/],
  ['https -a ', /^[^\s:]{1,60}:/],
  ['snmpwalk ', SNMP_AUTH],
  ['snmpwalk ', SNMP_PRIVACY],
  ['snmpget ', SNMP_AUTH],
  ['snmpget ', SNMP_PRIVACY],
]);

/** Passwords that are arguments by their place. */
export const positionalArgument: Rule = {
  triggers: [...ARGUMENTS.keys()],
  confirm(scan, _start, end, trigger) {
    for (const at of endsBehind(scan.text, end, 240, ARGUMENTS.get(trigger))) reportWord(scan, at);
  },
};
