/** What the name before a value says of it: a digest, the id of a thing, the number of a page. */
const PUBLIC_BEFORE =
  /(?:(?:^|[^a-z])(?:next|page|continuation)_?token|cursor|sha-?\d{1,3}|md5|h1|integrity|checksum|digest|etag|nonce|challenge|hash|base64|cipher_?value|commit|version|rev|boundary|bitcoin|[?&](?:(?:version|place|object|file|doc)_?)?id|(?:public|publishable|site)[-_ ]?keys?|ssh-\w+|dnskey[\d\s]{1,12}|thumbprint|verification["'] content|\bbigint\(|["'](?:x|y|n|kid|x5t)["'])(?:&quot;|[-:;=>"'`\s,]){0,4}$/i;
const ID_BEFORE =
  /(?:[a-z]I[dD]s?|_ids?|\bids?|\bIDs?|\buid|\bUID)\\?["']?\s{0,8}[:=]\s{0,12}\[?\s{0,12}(?:\w{1,16}\.\w{1,16}\()?\\?["'`]\s?$/;
/** Ids that open something, with a secret or without one. */
const OPENING_ID = /client|app|consumer|key|access|secret|sess|token|auth|cred|api|bot|user|account/i;
/** Documentation and forms say that what follows shows how such a thing looks. */
const SHOWN = /(?:@example|placeholder|\bsample|\be\.g\.|for example)[^\n\w]{1,4}(?:e\.g\.[,\s]{1,2})?["'`]?$/i;
const LEAD = 64;
const LONGEST_OWNER = 16;

/** A field of SOPS, which is encrypted: `ENC[AES256_GCM,data:…,iv:…,tag:…,type:str]`. */
const ENCRYPTED = 'ENC[AES256_GCM,';
const LONGEST_ENCRYPTED = 4096;

function isEncrypted(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - LONGEST_ENCRYPTED), start);
  const from = before.lastIndexOf(ENCRYPTED);
  return from >= 0 && !/[\]\n]/.test(before.slice(from));
}

/** True where what stands before a token says that it is there to be seen, or encrypted. */
export function isPublicBehind(text: string, start: number): boolean {
  const lead = text.slice(Math.max(0, start - LEAD), start);
  if (PUBLIC_BEFORE.test(lead) || SHOWN.test(lead)) return true;
  if (isEncrypted(text, start)) return true;
  const id = ID_BEFORE.exec(lead);
  return id !== null && !OPENING_ID.test(lead.slice(Math.max(0, id.index - LONGEST_OWNER), id.index + 1));
}
