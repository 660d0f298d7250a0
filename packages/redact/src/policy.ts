import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Named sets of rules. The rules of `default` always hold; `strict` adds weaker context, `pii` switches every PII rule on. */
export const RULE_PACKS = ['default', 'strict', 'pii'] as const;

const hostName = z
  .string()
  .regex(/^(\*\.|\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/, 'expected a host name, or a suffix such as *.corp.example')
  .max(253);

/** The policy a host writes (RED-6, RED-7). Every key is optional; an unknown key is refused. */
export const redactionPolicySchema = z.strictObject({
  packs: z.array(z.enum(RULE_PACKS)).describe('Rule packs; default ["default"]. The rules of `default` always hold.').optional(),
  internalHosts: z
    .array(hostName)
    .max(1000)
    .describe('Host names to hide; `*.corp.example` or `.corp.example` hides every host under the suffix.')
    .optional(),
  pii: z
    .strictObject({
      emails: z.boolean().describe('Hide e-mail addresses; default false, true in pack `pii`.').optional(),
      privateIps: z
        .boolean()
        .describe('Hide RFC 1918, link-local and unique local addresses; default false, true in pack `pii`.')
        .optional(),
      pan: z.boolean().describe('Hide card numbers that pass Luhn; default false, true in pack `pii`.').optional(),
    })
    .describe('Switches that overrule the packs one by one.')
    .optional(),
});

/** What `createRedactor` takes as `policy`. */
export type RedactionPolicy = z.input<typeof redactionPolicySchema>;

/** A policy with every default filled in. */
export interface ResolvedPolicy {
  readonly strict: boolean;
  readonly internalHosts: readonly string[];
  readonly emails: boolean;
  readonly privateIps: boolean;
  readonly pan: boolean;
}

const KNOWN_KEYS: Readonly<Record<string, string>> = { '': 'packs, internalHosts, pii', pii: 'emails, privateIps, pan' };

/** Checks a policy and fills in its defaults. Throws a TypeError that names the option, and the known ones for an unknown key. */
export function resolvePolicy(policy: unknown = {}): ResolvedPolicy {
  const parsed = redactionPolicySchema.safeParse(policy);
  if (!parsed.success) throw new TypeError(`createRedactor: ${parsed.error.issues.map(describeIssue).join('; ')}`);
  const { packs = ['default'], internalHosts = [], pii = {} } = parsed.data;
  const everyPii = packs.includes('pii');
  return {
    strict: packs.includes('strict'),
    internalHosts: [...new Set(internalHosts.map(normalizeHost))].sort(),
    emails: pii.emails ?? everyPii,
    privateIps: pii.privateIps ?? everyPii,
    pan: pii.pan ?? everyPii,
  };
}

function normalizeHost(host: string): string {
  return (host.startsWith('*') ? host.slice(1) : host).toLowerCase();
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  const at = path === '' ? 'policy' : `policy.${path}`;
  if (issue.code !== 'unrecognized_keys') return `${at}: ${issue.message}`;
  return `${at} has no option ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; known: ${KNOWN_KEYS[path] ?? ''}`;
}

/** SHA-256 of the resolved policy and the names and triggers of rules of one's own, hex: equal policies hash alike however they were written (ART-6). */
export function hashPolicy(policy: ResolvedPolicy, own: readonly { name: string; triggers: readonly string[] }[] = []): string {
  const ordered: unknown[] = [policy.strict, policy.internalHosts, policy.emails, policy.privateIps, policy.pan];
  if (own.length > 0) ordered.push(own.map(({ name, triggers }) => [name, triggers]));
  return createHash('sha256').update(JSON.stringify(ordered)).digest('hex');
}
