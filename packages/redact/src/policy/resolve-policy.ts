import { digest } from './digest.js';
import { parsePolicy } from './parse-policy.js';
import { compilePathPatterns } from './path-pattern.js';
import type { RedactionPolicy } from './policy-schema.js';

/** A policy with every default filled in: what rules look at, for one text. */
export interface ResolvedPolicy {
  readonly strict: boolean;
  readonly internalHosts: readonly string[];
  readonly internalIps: readonly string[];
  readonly emails: boolean | 'user-part';
  readonly privateIps: boolean;
  readonly pan: boolean;
  readonly uriUsers: boolean;
  /** Rules whose low findings are left alone. */
  readonly disabled: readonly string[];
  /** SHA-256 of each, hex. */
  readonly allowedValues: readonly string[];
  readonly allowedFingerprints: readonly string[];
  readonly hiddenKeys: readonly string[];
  readonly keptKeys: readonly string[];
  readonly overrides: readonly PathOverride[];
}

/** What is other under some paths. */
interface PathOverride extends Pick<RedactionPolicy, 'packs' | 'pii' | 'disable'> {
  readonly paths: readonly string[];
  readonly matches: (path: string) => boolean;
}

/**
 * Checks a policy and fills in its defaults. Throws a TypeError that names the option, and the
 * known ones for an unknown key.
 */
export function resolvePolicy(policy?: unknown, caller = 'createRedactor'): ResolvedPolicy {
  const parsed = policy === undefined ? {} : parsePolicy(policy, caller);
  const { internalHosts = [], internalIps = [], allow = {}, keys = {}, overrides = [], disable = [] } = parsed;
  return {
    ...switchesOf(parsed),
    internalHosts: sorted(internalHosts.map(normalizeHost)),
    internalIps: sorted(internalIps.map((ip) => ip.toLowerCase())),
    disabled: sorted(disable),
    allowedValues: sorted((allow.values ?? []).map(digest)),
    allowedFingerprints: sorted(allow.fingerprints ?? []),
    hiddenKeys: sorted(keys.hide ?? []),
    keptKeys: sorted(keys.keep ?? []),
    overrides: overrides.map((override) => ({ ...override, matches: compilePathPatterns(override.paths).matches })),
  };
}

/**
 * The policy for one path: every override that matches, in order, laid over the base. The base
 * itself where none does.
 */
export function policyForPath(policy: ResolvedPolicy, path: string | undefined): ResolvedPolicy {
  if (path === undefined || policy.overrides.length === 0) return policy;
  let laid = policy;
  for (const { matches, packs, pii, disable = [] } of policy.overrides) {
    if (!matches(path)) continue;
    const under = packs === undefined ? laid : { ...laid, ...switchesOf({ packs }) };
    laid = { ...under, ...switchesOver(under, pii), disabled: sorted([...under.disabled, ...disable]) };
  }
  return laid;
}

/** Names what the overrides of one policy can make of it, without the lists that they leave as they are. */
export function outcomeOf({ strict, emails, privateIps, pan, uriUsers, disabled }: ResolvedPolicy): string {
  return JSON.stringify([strict, emails, privateIps, pan, uriUsers, disabled]);
}

type Switches = Pick<ResolvedPolicy, 'strict' | 'emails' | 'privateIps' | 'pan' | 'uriUsers'>;

function switchesOf({ packs = ['default'], pii = {} }: Pick<RedactionPolicy, 'packs' | 'pii'>): Switches {
  const every = packs.includes('pii');
  const byPack = { strict: packs.includes('strict'), emails: every, privateIps: every, pan: every, uriUsers: every };
  return { ...byPack, ...switchesOver(byPack, pii) };
}

function switchesOver(under: Switches, pii: RedactionPolicy['pii'] = {}): Omit<Switches, 'strict'> {
  const { emails = under.emails, privateIps = under.privateIps, pan = under.pan, uriUsers = under.uriUsers } = pii;
  return { emails, privateIps, pan, uriUsers };
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

function normalizeHost(host: string): string {
  return (host.startsWith('*') ? host.slice(1) : host).toLowerCase();
}

/**
 * SHA-256 of the resolved policy and the names and triggers of rules of one's own, hex: equal
 * policies hash alike however they were written (ART-6).
 */
export function hashPolicy(
  policy: ResolvedPolicy,
  own: readonly { name: string; triggers: readonly string[] }[] = [],
): string {
  const ordered: unknown[] = Object.entries(policy).sort(([a], [b]) => (a < b ? -1 : 1));
  if (own.length > 0) ordered.push(own.map(({ name, triggers }) => [name, triggers]));
  return digest(JSON.stringify(ordered));
}
