import { createHash } from 'node:crypto';
import { compileDepotRules, isCanonicalDepotPath } from './depot-pattern.js';

/** Which providers may see the files under some paths. */
export interface ProviderRule {
  /** Perforce patterns: `//depot/dir/...`, `//depot/*.c`. */
  paths: readonly string[];
  /** Provider ids; empty: nobody. */
  providers: readonly string[];
}

export interface ProviderPolicyOptions {
  /** As in a protections table, the last rule that matches a path decides. */
  rules?: readonly ProviderRule[] | undefined;
  /** For paths that no rule matches. Default none: nobody. */
  otherwise?: readonly string[] | undefined;
  /** Say it where the server's case handling is known. Left out, a provider must be permitted under both readings. */
  caseSensitive?: boolean | undefined;
}

/** Which providers may see what (EGR-2). Pure; fallback asks it like any other choice. */
export interface ProviderPolicy {
  /** SHA-256 of the policy, hex: changes whenever a rule does. */
  readonly hash: string;
  /** True where this provider may see this path. A path that is not canonical nobody may see. */
  permits(provider: string, depotPath: string): boolean;
  /** Those of `providers`, in their order, that may see every path. No path at all: `otherwise` decides. */
  permitted(providers: readonly string[], depotPaths: readonly string[]): readonly string[];
}

/** Who may see a path, under one reading of case. */
type Reading = (depotPath: string) => ReadonlySet<string>;

function readWith(rules: readonly ProviderRule[], otherwise: readonly string[], caseSensitive: boolean): Reading {
  const { lastMatch } = compileDepotRules(rules, caseSensitive);
  const providers = rules.map((rule) => new Set(rule.providers));
  const others = new Set(otherwise);
  return (path) => providers[lastMatch(path)] ?? others;
}

/** Builds a policy. Throws `TypeError` for a pattern that is none and for a rule without paths. */
export function createProviderPolicy(options: ProviderPolicyOptions): ProviderPolicy {
  const rules = options.rules ?? [];
  const otherwise = options.otherwise ?? [];
  if (rules.some((rule) => rule.paths.length === 0))
    throw new TypeError('createProviderPolicy: rules expects paths in every rule');
  const cases = options.caseSensitive === undefined ? [true, false] : [options.caseSensitive];
  const readings = cases.map((caseSensitive) => readWith(rules, otherwise, caseSensitive));
  const canonical = JSON.stringify([
    rules.map((rule) => [rule.paths, rule.providers]),
    otherwise,
    options.caseSensitive ?? null,
  ]);
  /** Each path is read once, for however many providers. */
  const permittedFor = (providers: readonly string[], path: string): readonly string[] => {
    if (!isCanonicalDepotPath(path)) return [];
    const sets = readings.map((reading) => reading(path));
    return providers.filter((provider) => sets.every((set) => set.has(provider)));
  };
  return {
    hash: createHash('sha256').update(canonical).digest('hex'),
    permits: (provider, depotPath) => permittedFor([provider], depotPath).length > 0,
    permitted(providers, depotPaths) {
      if (depotPaths.length === 0) return providers.filter((provider) => otherwise.includes(provider));
      let left = providers;
      for (const path of depotPaths) {
        left = permittedFor(left, path);
        if (left.length === 0) break;
      }
      return left;
    },
  };
}
