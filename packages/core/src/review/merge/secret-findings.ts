import type { ChangeAction } from '../../changes/change.js';
import type { RedactedChange, RedactedFile, SecretPlacement, WithheldSecret } from '../../changes/redacted-change.js';
import { SEVERITIES, type Severity } from '../review-result.js';
import { type Anchor, type NewSide, newSideOf } from './anchors.js';
import { identifyFindings } from './identity.js';
import { comparePlaced } from './place-findings.js';
import type { SecretFinding } from './review-finding.js';
import { describeSecret } from './secret-texts.js';

/** A withheld secret of known placement, and the file that it is in; null: the change itself. */
interface PlacedSecret {
  secret: WithheldSecret & { where: SecretPlacement };
  file: RedactedFile | null;
  /** Further places of the file on lines that the change leaves as they are. */
  others: readonly WithheldSecret[];
}

/** Findings of withheld secrets, and how many places are left to the list of places. */
export interface SecretFindings {
  /** Gravest first, at most 50. */
  findings: readonly SecretFinding[];
  /** Findings over that number. */
  omitted: number;
}

/** Findings that one review has of withheld secrets. */
const MAX_SECRET_FINDINGS = 50;

/** Actions that give a file its path: a secret in the path came with the change. */
const NAMING_ACTIONS: ReadonlySet<ChangeAction> = new Set(['add', 'branch', 'import', 'move']);

/** Placements of what the change leaves as it is. */
const UNTOUCHED: ReadonlySet<SecretPlacement> = new Set(['unchanged', 'heading']);

/** True for a secret that the change neither adds nor removes. */
function isUntouched({ secret, file }: PlacedSecret): boolean {
  if (secret.where === 'path') return file !== null && !NAMING_ACTIONS.has(file.action);
  return UNTOUCHED.has(secret.where);
}

function place(secret: WithheldSecret, file: RedactedFile | null): PlacedSecret {
  // A snapshot of an earlier version does not say where.
  const guess = file === null ? 'description' : secret.line === null ? 'unchanged' : 'added';
  return { secret: { ...secret, where: secret.where ?? guess }, file, others: [] };
}

/** Credentials of one file: each that the change touches, and of the others the first, with their places. */
function listFileSecrets(file: RedactedFile): readonly PlacedSecret[] {
  const placed = credentialsOf(file.secrets).map((secret) => place(secret, file));
  const untouched = placed
    .filter(isUntouched)
    .sort((a, b) => SEVERITIES.indexOf(severityOf(a)) - SEVERITIES.indexOf(severityOf(b)));
  const [first, ...others] = untouched;
  return [
    ...placed.filter((one) => !isUntouched(one)),
    ...(first === undefined ? [] : [{ ...first, others: others.map(({ secret }) => secret) }]),
  ];
}

function credentialsOf(secrets: readonly WithheldSecret[] = []): readonly WithheldSecret[] {
  return secrets.filter(({ kind }) => kind !== 'private-data');
}

/** By the redactor's confidence and what the value is; one level lower where the change leaves it as it is. */
function severityOf(placed: PlacedSecret): Severity {
  const { where, confidence, kind = 'credential' } = placed.secret;
  if (where === 'removed' || where === 'oldPath') return 'low';
  const severity = confidence === 'low' ? 'low' : kind === 'credential' ? 'high' : 'critical';
  return isUntouched(placed) ? (SEVERITIES[SEVERITIES.indexOf(severity) + 1] ?? severity) : severity;
}

/** Lines of the whole new side, for a place that no hunk shows. */
function wholeSideOf({ newText }: RedactedFile): NewSide {
  const lines = newText === undefined ? [] : newText.split('\n').map((line) => ` ${line}`);
  return newSideOf([{ oldStart: 1, oldLines: 0, newStart: 1, newLines: lines.length, lines }]);
}

/** Sides of files, each made once. */
function createSides(): (placed: PlacedSecret) => NewSide {
  const shown = new Map<RedactedFile, NewSide>();
  const whole = new Map<RedactedFile, NewSide>();
  const nothing = newSideOf([]);
  const once = (known: Map<RedactedFile, NewSide>, file: RedactedFile, make: () => NewSide): NewSide => {
    const side = known.get(file) ?? make();
    known.set(file, side);
    return side;
  };
  return ({ file, secret: { line } }) => {
    if (file === null || line === null) return nothing;
    const side = once(shown, file, () => newSideOf(file.hunks));
    return side.lines.has(line) ? side : once(whole, file, () => wholeSideOf(file));
  };
}

/**
 * The credentials that redaction withheld from the model, as findings (GRD-7): those that the change
 * adds or removes, one for each place, and one for each file that it touches and that has more.
 * `change` is the redacted snapshot, before files are kept from the model. Pure.
 */
export function findSecrets(change: RedactedChange): SecretFindings {
  const placed = [
    ...credentialsOf(change.secrets).map((secret) => place(secret, null)),
    ...change.files.flatMap(listFileSecrets),
  ];
  const sideOf = createSides();
  const identified = identifyFindings(
    placed.map(({ secret: { rule, line }, file, ...rest }) => {
      const anchor: Anchor = { kind: line === null ? 'file' : 'exact', line };
      const finding = { category: 'security', file: file?.path ?? '', line: line ?? 0 } as const;
      // Told apart from a rule id of the model.
      return {
        finding: { ...finding, rule_id: `redaction/${rule}` },
        anchor,
        side: sideOf({ secret: { rule, line, where: 'added' }, file, ...rest }),
      };
    }),
  );
  const findings = placed.map((one, at): SecretFinding => {
    const { secret, file, others } = one;
    const { id = '', identity } = identified[at] ?? {};
    const { line } = secret;
    return {
      id,
      origin: 'redaction',
      severity: severityOf(one),
      category: 'security',
      ...describeSecret(secret, others),
      file: file?.path ?? null,
      place: { line, endLine: null, status: line === null ? 'file' : 'exact' },
      confidence: secret.confidence ?? 'high',
      rule_id: secret.rule,
      secret,
      identity: identity ?? { line: null, neighbours: null, section: null, occurrence: 0 },
      state: 'new',
      since: null,
    };
  });
  const sorted = findings.sort(comparePlaced);
  return {
    findings: sorted.slice(0, MAX_SECRET_FINDINGS),
    omitted: Math.max(0, sorted.length - MAX_SECRET_FINDINGS),
  };
}
