// The seals over the audit trail: the variables, and what they say.
import { z } from 'zod';
import { applyRules, parseEnvironment, type Rule } from './read-environment.js';
import { absolutePath, whole } from './values.js';

export const sealVariables = {
  AUDIT_SEAL_KEY_FILE: absolutePath
    .optional()
    .describe('Ed25519 private key in PEM or Base64, which seals the audit trail.'),
  AUDIT_SEAL_CHECKPOINT_FILE: absolutePath
    .optional()
    .describe('Each seal is appended here; put it where the owner of the database does not write.'),
  AUDIT_SEAL_SECONDS: whole(1, 3_600).default(10).describe('Seconds between two passes of the sealer; default 10.'),
} as const;

type Given = z.output<z.ZodObject<typeof sealVariables>>;

export const sealRules: readonly Rule<Given>[] = [
  [
    'AUDIT_SEAL_CHECKPOINT_FILE',
    (env) => env.AUDIT_SEAL_CHECKPOINT_FILE === undefined || env.AUDIT_SEAL_KEY_FILE !== undefined,
    'is set without AUDIT_SEAL_KEY_FILE',
  ],
];

const schema = applyRules(z.object(sealVariables), sealRules);

/** How the audit trail is sealed. */
export interface SealConfiguration {
  keyFile: string;
  checkpointFile: string | undefined;
  everyMs: number;
}

/** How the audit trail is sealed, and nothing else; null: it is not. Throws `UsageError` for these variables. */
export function readSeal(env: NodeJS.ProcessEnv): SealConfiguration | null {
  const read = parseEnvironment(schema, env);
  const { AUDIT_SEAL_KEY_FILE: keyFile, AUDIT_SEAL_CHECKPOINT_FILE: checkpointFile } = read;
  return keyFile === undefined ? null : { keyFile, checkpointFile, everyMs: read.AUDIT_SEAL_SECONDS * 1_000 };
}
