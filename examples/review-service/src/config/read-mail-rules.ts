import type { RecipientRule } from '@criticizer/core/ports';
import { z } from 'zod';
import { readJsonFile } from './files.js';
import { address } from './values.js';

const severity = z.enum(['critical', 'high', 'medium', 'low', 'info']);

const rulesSchema = z.strictObject({
  /** Owners by the OWNERS files of the depot; left out: nobody asks for them. */
  owners: z
    .strictObject({
      fileName: z
        .string()
        .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/, 'expected a file name')
        .default('OWNERS'),
      minSeverity: severity.optional(),
      required: z.boolean().default(false),
    })
    .optional(),
  /** Fixed lists, each by path, by severity, or always. */
  lists: z
    .array(
      z.strictObject({
        to: z.array(address).min(1).max(100),
        paths: z.array(z.string().startsWith('//', 'expected a depot path')).min(1).max(1_000).optional(),
        minSeverity: severity.optional(),
        required: z.boolean().default(false),
        reason: z.string().min(1).max(200).optional(),
      }),
    )
    .max(200)
    .default([]),
});

/** Who is mailed beside author and reviewers. */
export interface MailRules {
  owners: { fileName: string; minSeverity?: RecipientRule['minSeverity']; required: boolean } | undefined;
  lists: readonly RecipientRule[];
}

/** The rules of `MAIL_RULES_FILE`; without one none. Throws `UsageError`, a line for each mistake. */
export function readMailRules({ MAIL_RULES_FILE: file }: { MAIL_RULES_FILE?: string | undefined }): MailRules {
  if (file === undefined) return { owners: undefined, lists: [] };
  const { owners, lists } = readJsonFile('MAIL_RULES_FILE', file, rulesSchema);
  return { owners, lists: lists.map((list) => ({ ...list, to: list.to.map((one) => ({ address: one })) })) };
}
