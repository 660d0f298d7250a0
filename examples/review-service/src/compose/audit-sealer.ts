// What seals the audit trail, by the configuration.
import { type AuditSealerOptions, readSealPublicKey } from '@criticizer/core/audit-delivery';
import type { Configuration } from '../config/configuration.js';
import { secretIn } from '../config/files.js';
import { webhookDestination } from './audit-sinks.js';

/** What the composition needs to make a sealer. */
export type AuditSealParts = Pick<AuditSealerOptions<unknown>, 'checkpointFile' | 'destinations' | 'everyMs' | 'key'>;

/**
 * Key and files of the sealer; undefined where the configuration names no key. Roots go to the webhook,
 * not to its shadow. Rejects with `KEY_INVALID` for a file without an Ed25519 key, and as it is read.
 */
export async function openSealKey({
  seal,
  audit,
}: Pick<Configuration, 'seal' | 'audit'>): Promise<AuditSealParts | undefined> {
  if (seal === null) return undefined;
  const { keyFile, checkpointFile, everyMs } = seal;
  const key = secretIn(keyFile);
  // The sealer reads the key again in each pass and would only log what is wrong with it.
  await readSealPublicKey(key);
  return { key, checkpointFile, everyMs, destinations: audit === null ? [] : [webhookDestination] };
}
