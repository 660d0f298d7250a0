import type { z as Zod } from 'zod';
import { isListedKey } from '../lexicon/listed-keys.js';

/**
 * Named sets of rules. The rules of `default` always hold; `strict` adds weaker context, `pii`
 * switches every PII rule on.
 */
export const RULE_PACKS = ['default', 'strict', 'pii'] as const;

/**
 * The policy a host writes (RED-6, RED-7). Every key is optional; an unknown key is refused. Made
 * of the zod that is handed in: loading zod takes longer than everything else of this package, so
 * the main entry loads it only for a policy. (Not called `z`, which rolled-up types call the
 * import.)
 */
export function createPolicySchema(zod: typeof Zod) {
  const { hostName, address, ruleName, pathPattern, keyName } = createNameSchemas(zod);
  const { packs, pii, disable } = createSwitchSchemas(zod, ruleName);
  return zod.strictObject({
    packs,
    internalHosts: zod
      .array(hostName)
      .max(1000)
      .describe('Host names to hide; `*.corp.example` or `.corp.example` hides every host under the suffix.')
      .optional(),
    internalIps: zod.array(address).max(1000).describe('IP addresses and blocks (CIDR) to hide, v4 and v6.').optional(),
    pii,
    disable,
    allow: zod
      .strictObject({
        values: zod
          .array(zod.string().min(1).max(4096))
          .max(1000)
          .describe('Values that are no secrets, written out.')
          .optional(),
        fingerprints: zod
          .array(zod.string().regex(/^[0-9a-f]{32}$/, 'expected the 32 hex digits of a finding'))
          .max(10_000)
          .describe('The same by the fingerprint of their finding, under the same key: nothing has to be written out.')
          .optional(),
      })
      .describe('Values left alone where a rule of low confidence finds exactly them.')
      .optional(),
    keys: zod
      .strictObject({
        hide: zod
          .array(keyName)
          .max(1000)
          .describe('Names of JSON members whose whole value is hidden, also as the end of a longer name.')
          .optional(),
        keep: zod
          .array(keyName.refine((key) => !isListedKey(key), 'is on the list that is always redacted'))
          .max(1000)
          .describe('Names of JSON members that mean no secret here, such as `ticket`.')
          .optional(),
      })
      .describe(
        'What the names of JSON members say, in addition to the built-in list; spelling and case do not matter.',
      )
      .optional(),
    overrides: zod
      .array(zod.strictObject({ paths: zod.array(pathPattern).min(1).max(100), packs, pii, disable }))
      .max(32)
      .describe(
        'Another policy by path: `//depot/test/...`, `*.md`, `docs/**`. Each that matches is laid over the one before.',
      )
      .optional(),
  });
}

/** What a policy names: hosts, addresses, rules, paths and members. */
function createNameSchemas(zod: typeof Zod) {
  const hostName = zod
    .string()
    .regex(/^(\*\.|\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/, 'expected a host name, or a suffix such as *.corp.example')
    .max(253);

  const address = zod
    .string()
    .refine(
      isAddressOrBlock,
      'expected an IP address, or a block such as 203.0.113.0/24 (IPv4 from /8 on) or 2001:db8::/32 (IPv6 from /16 on)',
    );

  const ruleName = zod
    .string()
    .regex(/^[a-z0-9-]{1,48}$/, 'expected the name of a rule as placeholders show it, such as password');

  const pathPattern = zod
    .string()
    .min(1)
    .max(512)
    .regex(/^[^\p{Cc}]+$/u, 'expected no control characters')
    .regex(/^(?!.*(?:\*{3}|\.{4}))/, 'expected "..." or "**" for any folders and "*" within a name');

  const keyName = zod
    .string()
    .regex(/[A-Za-z0-9]/, 'expected a name with a letter or digit')
    .max(128);

  return { hostName, address, ruleName, pathPattern, keyName };
}

/** What a policy and each of its overrides may switch. */
function createSwitchSchemas(zod: typeof Zod, ruleName: Zod.ZodString) {
  const packs = zod
    .array(zod.enum(RULE_PACKS))
    .describe('Rule packs; default ["default"]. The rules of `default` always hold.')
    .optional();

  const pii = zod
    .strictObject({
      emails: zod
        .union([zod.boolean(), zod.literal('user-part')])
        .describe('Hide e-mail addresses, or their user part alone; default false, true in pack `pii`.')
        .optional(),
      privateIps: zod
        .boolean()
        .describe('Hide RFC 1918, link-local and unique local addresses; default false, true in pack `pii`.')
        .optional(),
      pan: zod.boolean().describe('Hide card numbers that pass Luhn; default false, true in pack `pii`.').optional(),
      uriUsers: zod
        .boolean()
        .describe('Hide the user in the user info of a URI too; default false, true in pack `pii`.')
        .optional(),
    })
    .describe('Switches that overrule the packs one by one.')
    .optional();

  const disable = zod
    .array(ruleName)
    .max(200)
    .describe('Rules whose findings of low confidence are left alone. What the guard blocks is always redacted.')
    .optional();

  return { packs, pii, disable };
}

/** What `createRedactor` and `createPayloadRedactor` take as `policy`. */
export type RedactionPolicy = Zod.input<ReturnType<typeof createPolicySchema>>;

function isAddressOrBlock(text: string): boolean {
  const [host = '', prefix, ...rest] = text.split('/');
  const family = process.getBuiltinModule('node:net').isIP(host);
  if (family === 0 || rest.length > 0 || host.includes('%')) return false;
  if (prefix === undefined) return true;
  // A wider block would hide most of the internet, and has no literal start to look for.
  const [minPrefix, maxPrefix] = family === 4 ? [8, 32] : [16, 128];
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= minPrefix && Number(prefix) <= maxPrefix;
}
