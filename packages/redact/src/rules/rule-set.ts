import { policyRules } from '../policy/policy-rules.js';
import type { ResolvedPolicy } from '../policy.js';
import type { Rule } from '../rule.js';
import { accountFileRules } from './account-files.js';
import { assignmentRules } from './assignments.js';
import { authorizationHeaderRules } from './authorization-headers.js';
import { cloudCredentialRules } from './cloud-credentials.js';
import { commandLineRules } from './command-lines.js';
import { connectionUriRules } from './connection-uris.js';
import { cookieRules } from './cookies.js';
import { credentialCallRules } from './credential-calls.js';
import { credentialFileRules } from './credential-files.js';
import { directiveRules } from './directives.js';
import { encodedTextRules } from './encoded-text.js';
import { fixLogonRules } from './fix-logons.js';
import { jsonWebTokenRules } from './json-web-tokens.js';
import { keyNumberRules } from './key-numbers.js';
import { kubernetesSecretRules } from './kubernetes-secrets.js';
import { ledgerKeyRules } from './ledger-keys.js';
import { licenseLineRules } from './license-lines.js';
import { listedValueRules } from './listed-values.js';
import { nearUuidRules } from './near-uuid.js';
import { otherScriptRules } from './other-scripts.js';
import { passwordHashRules } from './password-hashes.js';
import { passwordTableRules } from './password-tables.js';
import { perforceRules } from './perforce.js';
import { perforceTicketRules } from './perforce-tickets.js';
import { piiRules } from './pii.js';
import { pipedValueRules } from './piped-values.js';
import { privateKeyRules } from './private-keys.js';
import { randomTokenRules } from './random-tokens.js';
import { recoveryCodeRules } from './recovery-codes.js';
import { recoveryPhraseRules } from './recovery-phrases.js';
import { sqlPasswordRules } from './sql-passwords.js';
import { toldLoginRules } from './told-logins.js';
import { vendorTokenRules } from './vendor-tokens.js';

/** The rules that hold under any policy. */
function secretRules(policy: ResolvedPolicy): Rule[] {
  return [
    ...privateKeyRules(),
    ...keyNumberRules(),
    ...ledgerKeyRules(),
    ...recoveryPhraseRules(),
    ...recoveryCodeRules(),
    ...vendorTokenRules(),
    ...jsonWebTokenRules(),
    ...connectionUriRules(),
    ...authorizationHeaderRules(),
    ...cloudCredentialRules(),
    ...assignmentRules(policy),
    ...listedValueRules(),
    ...sqlPasswordRules(),
    ...cookieRules(),
    ...commandLineRules(),
    ...credentialCallRules(),
    ...pipedValueRules(),
    ...credentialFileRules(),
    ...accountFileRules(),
    ...passwordHashRules(),
    ...directiveRules(),
    ...fixLogonRules(),
    ...licenseLineRules(),
    ...passwordTableRules(),
    ...toldLoginRules(),
    ...otherScriptRules(),
    ...kubernetesSecretRules(),
    ...encodedTextRules(),
    ...perforceRules(),
    ...perforceTicketRules(),
    ...nearUuidRules(),
    ...randomTokenRules(),
  ];
}

/** Every rule a policy asks for. */
export function rulesFor(policy: ResolvedPolicy): Rule[] {
  return [...secretRules(policy), ...piiRules(policy), ...policyRules(policy)];
}
