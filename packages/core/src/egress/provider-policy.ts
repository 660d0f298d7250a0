import { createHash } from 'node:crypto';
import { compileDepotPattern, isCanonicalDepotPath } from './depot-pattern.js';

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

type Reading = (depotPath: string) => ReadonlySet<string>;

function readWith(rules: readonly ProviderRule[], otherwise: readonly string[], caseSensitive: boolean): Reading {
  const compiled = rules
    .map((rule) => ({
      tests: rule.paths.map((pattern) => compileDepotPattern(pattern, caseSensitive)),
      providers: new Set(rule.providers),
    }))
    .reverse();
  const others = new Set(otherwise);
  return (path) => compiled.find(({ tests }) => tests.some((test) => test(path)))?.providers ?? others;
}

/** Builds a policy. Throws `TypeError` for a pattern that is none and for a rule without paths. */
export function createProviderPolicy(options: ProviderPolicyOptions): ProviderPolicy {
  const rules = options.rules ?? [];
  const otherwise = options.otherwise ?? [];
  if (rules.some((rule) => rule.paths.length === 0)) throw new TypeError('createProviderPolicy: rules expects paths in every rule');
  const cases = options.caseSensitive === undefined ? [true, false] : [options.caseSensitive];
  const readings = cases.map((caseSensitive) => readWith(rules, otherwise, caseSensitive));
  const canonical = JSON.stringify([rules.map((rule) => [rule.paths, rule.providers]), otherwise, options.caseSensitive ?? null]);
  const permits = (provider: string, path: string): boolean =>
    isCanonicalDepotPath(path) && readings.every((reading) => reading(path).has(provider));
  return {
    hash: createHash('sha256').update(canonical).digest('hex'),
    permits,
    permitted: (providers, depotPaths) =>
      providers.filter((provider) =>
        depotPaths.length === 0 ? otherwise.includes(provider) : depotPaths.every((path) => permits(provider, path)),
      ),
  };
}
