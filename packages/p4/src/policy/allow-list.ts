import { createHash } from 'node:crypto';
import { checkedElsewhere, checkOptions, type OptionShape } from '@criticizer/core/internal';
import { type DepotPathDefect, foldAscii, parseDepotPath } from '../client/depot-path.js';

/** How the server compares paths; `p4 info` says it. */
export type CaseHandling = 'sensitive' | 'insensitive';

/** What the list says of one path. `rule` is the rule as configured. */
export type AllowListVerdict =
  | { allowed: true; rule: string }
  | { allowed: false; reason: 'malformed'; defect: DepotPathDefect }
  | { allowed: false; reason: 'denied'; rule: string }
  | { allowed: false; reason: 'not_listed' };

/** Which depot paths may be read, and which of them may not. */
export interface AllowListOptions {
  /**
   * At least one of `//depot/path/...` (everything below) or `//depot/path/file` (that file). No
   * other wildcard; never `//...` (P4-1).
   */
  allow: readonly string[];
  /** Same form. A match here wins over every allow rule. Default: none. */
  deny?: readonly string[] | undefined;
  /** Default `sensitive`. The change fetcher replaces it by what the server reports. */
  caseHandling?: CaseHandling | undefined;
}

/**
 * Which depot paths may be read (P4-1 to P4-4). Immutable: a change of rules is a new list, so that
 * it can be audited (P4-6).
 */
export interface AllowList {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly caseHandling: CaseHandling;
  /**
   * SHA-256, hex, over the rules in a fixed order: equal for equal rules; tells that configuration
   * changed (ruling R14).
   */
  readonly fingerprint: string;
  /** Decides about one file path. Never throws; what cannot be parsed is not allowed. */
  check(path: string): AllowListVerdict;
  /** The same rules for a server with this case handling. */
  forServer(caseHandling: CaseHandling): AllowList;
}

interface Rules {
  files: Map<string, string>;
  /** Keyed by the directory without `/...`. */
  prefixes: Map<string, string>;
}

const optionShape: OptionShape<AllowListOptions> = {
  allow: checkedElsewhere,
  deny: checkedElsewhere,
  caseHandling: checkedElsewhere,
};

/**
 * Validates the rules and builds the list. Allow rules match exactly on a case-sensitive server and
 * by ASCII folding on others; deny rules always match folded, and by Unicode compatibility form, so
 * a deny rule never matches less than the server does. Throws a TypeError that names an unknown
 * option, or the rule when one is empty, not in depot form, or has a wildcard beyond one trailing
 * `/...`.
 */
export function createAllowList(options: AllowListOptions): AllowList {
  checkOptions('createAllowList', options, optionShape);
  const allow = checkRules('allow', options.allow);
  if (allow.length === 0)
    throw new TypeError('allowList.allow: expected at least one depot path such as //depot/main/...');
  const deny = checkRules('deny', options.deny ?? []);
  const caseHandling: unknown = options.caseHandling ?? 'sensitive';
  if (caseHandling !== 'sensitive' && caseHandling !== 'insensitive') {
    throw new TypeError("allowList.caseHandling: expected 'sensitive' or 'insensitive'");
  }
  return buildList(allow, deny, caseHandling);
}

function buildList(allow: readonly string[], deny: readonly string[], caseHandling: CaseHandling): AllowList {
  const foldAllow = caseHandling === 'sensitive' ? (text: string) => text : foldAscii;
  const allowRules = indexRules(allow, foldAllow);
  const denyRules = indexRules(deny, foldBroadly);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([[...allow].sort(), [...deny].sort()]))
    .digest('hex');
  let other: AllowList | undefined;
  return {
    allow,
    deny,
    caseHandling,
    fingerprint,
    check(path) {
      const parsed = parseDepotPath(path);
      if (!parsed.ok) return { allowed: false, reason: 'malformed', defect: parsed.defect };
      // Folding is what takes the time.
      const denied = deny.length === 0 ? undefined : findRule(denyRules, foldBroadly(parsed.path));
      if (denied !== undefined) return { allowed: false, reason: 'denied', rule: denied };
      const allowed = findRule(allowRules, foldAllow(parsed.path));
      return allowed === undefined ? { allowed: false, reason: 'not_listed' } : { allowed: true, rule: allowed };
    },
    forServer(handling) {
      if (handling === caseHandling) return this;
      other ??= buildList(allow, deny, handling); // asked for with each change
      return other;
    },
  };
}

/** Folds more than any server does: for deny rules alone. */
export function foldBroadly(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

function indexRules(rules: readonly string[], fold: (text: string) => string): Rules {
  const index: Rules = { files: new Map(), prefixes: new Map() };
  for (const rule of rules) {
    if (rule.endsWith('/...')) index.prefixes.set(fold(rule.slice(0, -4)), rule);
    else index.files.set(fold(rule), rule);
  }
  return index;
}

/** Walks the directories of the path, segment by segment: `//depot/main` never matches `//depot/mainEvil`. */
function findRule(rules: Rules, path: string): string | undefined {
  const exact = rules.files.get(path);
  if (exact !== undefined) return exact;
  for (let slash = path.indexOf('/', 2); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const rule = rules.prefixes.get(path.slice(0, slash));
    if (rule !== undefined) return rule;
  }
  return undefined;
}

function checkRules(option: 'allow' | 'deny', rules: unknown): readonly string[] {
  if (!Array.isArray(rules)) throw new TypeError(`allowList.${option}: expected an array of depot paths`);
  return Object.freeze([...new Set(rules.map((rule: unknown) => checkRule(option, rule)))]);
}

function checkRule(option: string, rule: unknown): string {
  const expected = `allowList.${option}: expected //depot/path/... or //depot/path/file`;
  if (typeof rule !== 'string') throw new TypeError(`${expected}, got ${typeof rule}`);
  // A file of that directory must be a valid path: one grammar for rules and candidates.
  const probe = rule.endsWith('/...') ? `${rule.slice(0, -4)}/x` : rule;
  const parsed = parseDepotPath(probe);
  if (!parsed.ok) throw new TypeError(`${expected}, got ${JSON.stringify(rule)} (${parsed.defect})`);
  return rule;
}
