/**
 * What a finding's value is, which decides how bad it is that the value is in a text.
 * `private-key`: a private key or what one is derived from. `cloud-key`: a key of a cloud account.
 * `credential`: any other password, key or token. `private-data`: no credential, such as a mail
 * address or the name of an internal host.
 */
export type SecretKind = 'private-key' | 'cloud-key' | 'credential' | 'private-data';

const rulesByKind: readonly (readonly [SecretKind, string])[] = [
  ['private-key', 'private-key age-secret-key nats-seed'],
  ['cloud-key', 'aws-access-key aws-secret-key azure-key azure-secret google-hmac-key'],
  ['private-data', 'email pan private-ip internal-ip internal-host uri-user'],
];

const kinds: ReadonlyMap<string, SecretKind> = new Map(
  rulesByKind.flatMap(([kind, rules]) => rules.split(' ').map((rule) => [rule, kind] as const)),
);

/** The kind of what a rule finds; `credential` for every rule that is not listed, a host's own too. */
export function kindOf(rule: string): SecretKind {
  return kinds.get(rule) ?? 'credential';
}
