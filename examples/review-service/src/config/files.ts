import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createFileSecrets, type SecretSource } from '@criticizer/core';
import { z } from 'zod';
import { explainIssue, namePlace } from './explain-issue.js';
import { UsageError } from './usage-error.js';
import { absolutePath, address, anyEndpoint } from './values.js';

/** A secret that a private file holds alone, as options of the packages take it. */
export function secretIn(file: string): { source: SecretSource; name: string } {
  return { source: createFileSecrets({ directory: dirname(file) }), name: basename(file) };
}

const serverSchema = z.strictObject({
  serverId: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, 'expected lower-case letters, digits, dots and dashes'),
  port: z.string().min(1),
  user: z.string().min(1),
  ticketFile: absolutePath.optional(),
  fingerprint: z.string().optional(),
  executable: absolutePath.default('/usr/local/bin/p4'),
  containment: z.enum(['auto', 'required', 'accept-none']).default('auto'),
  fullListAccess: z.boolean().default(false),
  allow: z.array(z.string()).min(1),
  watch: z
    .array(z.enum(['submitted', 'shelved']))
    .min(1)
    .default(['submitted', 'shelved']),
  pollSeconds: z.int().min(1).max(86_400).default(30),
  /** Commands of p4 at a time, over all that a process does on this server: 4 where it is not set, in a p4 runner 8. */
  maxConcurrent: z.int().min(1).max(64).optional(),
  /** Longest run of a command, and of one that prints contents. */
  commandSeconds: z.int().min(1).max(3_600).default(60),
  contentsSeconds: z.int().min(1).max(3_600).default(300),
  /** A change with more files is skipped for its size. */
  maxChangeFiles: z.int().min(1).max(100_000).default(10_000),
  /** P4 Code Review of this server. */
  swarmUrl: anyEndpoint.optional(),
});
/** One Perforce server of the configuration. */
export type ConfiguredServer = z.output<typeof serverSchema>;

const serversSchema = z
  .array(serverSchema)
  .min(1)
  .refine((servers) => new Set(servers.map(({ serverId }) => serverId)).size === servers.length, {
    message: 'expected a serverId of its own for each server',
  })
  .refine((servers) => servers.filter(({ swarmUrl }) => swarmUrl !== undefined).length <= 1, {
    message: 'expected swarmUrl at one server only',
  });

/** Reads a JSON file. Throws `UsageError` that names the variable, a line for each mistake. */
export function readJsonFile<T>(variable: string, file: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : String((error as NodeJS.ErrnoException).code);
    throw new UsageError([`${variable} ${file} cannot be read: ${why}`]);
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new UsageError(
    read.error.issues.map((issue) => `${namePlace([variable, ...issue.path])}: ${explainIssue(issue, value)}`),
  );
}

/** The servers of `P4_SERVERS_FILE`. */
export const readServersFile = (file: string): readonly ConfiguredServer[] =>
  readJsonFile('P4_SERVERS_FILE', file, serversSchema);

/** The map of `RECIPIENT_MAP_FILE`: Perforce user to address. */
export const readRecipientMap = (file: string): Readonly<Record<string, string>> =>
  readJsonFile('RECIPIENT_MAP_FILE', file, z.record(z.string(), address));
