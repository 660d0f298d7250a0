import { z } from 'zod';
import { createPolicySchema } from './policy-schema.js';

export { type RedactionPolicy, RULE_PACKS } from './policy-schema.js';

/**
 * The zod schema of a policy, for settings that hold one and for a JSON schema of it.
 * `createRedactor` and `createPayloadRedactor` check theirs by it.
 */
export const redactionPolicySchema = createPolicySchema(z);
