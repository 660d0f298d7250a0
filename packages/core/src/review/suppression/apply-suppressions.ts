import { type Category, CONFIDENCES, type Confidence, SEVERITIES, type Severity } from '../review-result.js';

/** What a suppression is matched with. */
export interface SuppressibleFinding {
  id: string;
  origin: 'model' | 'redaction';
  /** Null: about the change itself, and under no path. */
  file: string | null;
  rule_id?: string | undefined;
  category: Category;
  severity: Severity;
  confidence?: Confidence | undefined;
}

/** A suppression as far as it decides: a stored one fits. */
export interface SuppressionRule {
  id: string;
  scope:
    | { kind: 'finding'; findingId: string; coversSecret: boolean }
    | {
        kind: 'rule';
        ruleId: string | null;
        paths: string | null;
        category: string | null;
        severity: string | null;
        confidence: string | null;
      };
  expiresAt: Date | null;
  withdrawnAt: Date | null;
}

type Rule = Extract<SuppressionRule['scope'], { kind: 'rule' }>;

/** What became of each finding. */
export interface SuppressedFindings<Finding, Suppression> {
  kept: readonly Finding[];
  suppressed: readonly { finding: Finding; suppression: Suppression }[];
  /** Withheld credentials that a suppression names and must not hide; they are among `kept`. */
  refused: readonly { finding: Finding; suppression: Suppression }[];
}

/** True where `value` is `most` or comes after it; false for a word that is none, or for no value. */
function isAtMost<Word extends string>(words: readonly Word[], value: Word | undefined, most: string): boolean {
  const [at, from] = [words.findIndex((word) => word === value), words.findIndex((word) => word === most)];
  return at >= 0 && from >= 0 && at >= from;
}

/** Every condition that is not null holds, and there is one. */
function fitsRule(finding: SuppressibleFinding, rule: Rule, isUnder: IsUnder): boolean {
  const { ruleId, paths, category, severity, confidence } = rule;
  const conditions = [
    ruleId === null ? null : finding.rule_id === ruleId,
    paths === null ? null : finding.file !== null && isUnder(paths, finding.file),
    category === null ? null : finding.category === category,
    severity === null ? null : isAtMost(SEVERITIES, finding.severity, severity),
    confidence === null ? null : isAtMost(CONFIDENCES, finding.confidence, confidence),
  ].filter((holds) => holds !== null);
  return conditions.length > 0 && conditions.every((holds) => holds);
}

/** True where the file, as findings name it, is one of the pattern's. */
export type IsUnder = (pattern: string, file: string) => boolean;

function isInForce({ expiresAt, withdrawnAt }: SuppressionRule, now: Date): boolean {
  return withdrawnAt === null && (expiresAt === null || expiresAt > now);
}

/**
 * Takes out the findings that a suppression in force hides (GRD-8), each with the suppression that
 * did: one that names the finding before one that a rule fits, the first given before later ones.
 * A withheld credential is hidden by a suppression that names it and covers secrets, and by nothing
 * else. A word or pattern that is not known hides nothing. Pure; keeps the order; linear in findings
 * times rules.
 */
export function applySuppressions<Finding extends SuppressibleFinding, Suppression extends SuppressionRule>(
  findings: readonly Finding[],
  suppressions: readonly Suppression[],
  { now, isUnder }: { now: Date; isUnder: IsUnder },
): SuppressedFindings<Finding, Suppression> {
  const byFinding = new Map<string, Suppression>();
  const rules: { suppression: Suppression; rule: Rule }[] = [];
  for (const suppression of suppressions) {
    if (!isInForce(suppression, now)) continue;
    const { scope } = suppression;
    if (scope.kind === 'rule') rules.push({ suppression, rule: scope });
    else if (byFinding.get(scope.findingId) === undefined) byFinding.set(scope.findingId, suppression);
  }
  const kept: Finding[] = [];
  const suppressed: { finding: Finding; suppression: Suppression }[] = [];
  const refused: { finding: Finding; suppression: Suppression }[] = [];
  for (const finding of findings) {
    const named = byFinding.get(finding.id);
    const isSecret = finding.origin === 'redaction';
    const mayHide = named?.scope.kind === 'finding' && (!isSecret || named.scope.coversSecret);
    const suppression = mayHide
      ? named
      : isSecret
        ? undefined
        : rules.find(({ rule }) => fitsRule(finding, rule, isUnder))?.suppression;
    if (suppression !== undefined) {
      suppressed.push({ finding, suppression });
      continue;
    }
    if (named !== undefined) refused.push({ finding, suppression: named });
    kept.push(finding);
  }
  return { kept, suppressed, refused };
}
