import type { Rule } from '../grammar/rule.js';
import type { ResolvedPolicy } from '../policy/resolve-policy.js';
import { accountFileRules } from './files/account-files.js';
import { credentialFileRules } from './files/credential-files.js';
import { directiveRules } from './files/directives.js';
import { fixLogonRules } from './files/fix-logons.js';
import { kubernetesSecretRules } from './files/kubernetes-secrets.js';
import { listedValueRules } from './files/listed-values.js';
import { otherScriptRules } from './files/other-scripts.js';
import { passwordTableRules } from './files/password-tables.js';
import { perforceRules } from './files/perforce.js';
import { piiRules } from './files/pii.js';
import { proseLoginRules } from './files/prose-logins.js';
import { argumentListRules } from './statements/argument-lists.js';
import { assignmentRules } from './statements/assignments.js';
import { authorizationHeaderRules } from './statements/authorization-headers.js';
import { commandLineRules } from './statements/command-lines.js';
import { connectionUriRules } from './statements/connection-uris.js';
import { cookieRules } from './statements/cookies.js';
import { credentialCallRules } from './statements/credential-calls.js';
import { pipedValueRules } from './statements/piped-values.js';
import { policyRules } from './statements/policy-rules.js';
import { sqlPasswordRules } from './statements/sql-passwords.js';
import { cloudCredentialRules } from './tokens/cloud-credentials.js';
import { encodedTextRules } from './tokens/encoded-text.js';
import { jsonWebTokenRules } from './tokens/json-web-tokens.js';
import { keyNumberRules } from './tokens/key-numbers.js';
import { ledgerKeyRules } from './tokens/ledger-keys.js';
import { licenseLineRules } from './tokens/license-lines.js';
import { nearUuidRules } from './tokens/near-uuid.js';
import { passwordHashRules } from './tokens/password-hashes.js';
import { perforceTicketRules } from './tokens/perforce-tickets.js';
import { privateKeyRules } from './tokens/private-keys.js';
import { randomTokenRules } from './tokens/random-tokens.js';
import { recoveryCodeRules } from './tokens/recovery-codes.js';
import { recoveryPhraseRules } from './tokens/recovery-phrases.js';
import { vendorTokenRules } from './tokens/vendor-tokens.js';

/** What makes the rules that hold under any policy, a file of rules each. */
export const secretRules: readonly ((policy: ResolvedPolicy) => Rule[])[] = [
  privateKeyRules,
  keyNumberRules,
  ledgerKeyRules,
  recoveryPhraseRules,
  recoveryCodeRules,
  vendorTokenRules,
  jsonWebTokenRules,
  connectionUriRules,
  authorizationHeaderRules,
  cloudCredentialRules,
  assignmentRules,
  listedValueRules,
  sqlPasswordRules,
  cookieRules,
  commandLineRules,
  argumentListRules,
  credentialCallRules,
  pipedValueRules,
  credentialFileRules,
  accountFileRules,
  passwordHashRules,
  directiveRules,
  fixLogonRules,
  licenseLineRules,
  passwordTableRules,
  proseLoginRules,
  otherScriptRules,
  kubernetesSecretRules,
  encodedTextRules,
  perforceRules,
  perforceTicketRules,
  nearUuidRules,
  randomTokenRules,
];

/** Every rule a policy asks for. */
export function rulesFor(policy: ResolvedPolicy): Rule[] {
  return [...secretRules.flatMap((make) => make(policy)), ...piiRules(policy), ...policyRules(policy)];
}
