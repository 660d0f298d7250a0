import { createHash } from 'node:crypto';
import type { Change, Hunk } from '../../../changes/change.js';
import type { RedactedChange, RedactedFile } from '../../../changes/redacted-change.js';
import type { HostRule } from '../../../egress/check-host.js';
import { canonicalJson } from '../../../foundation/canonical-json.js';
import type { JsonValue } from '../../../foundation/json.js';
import { strongestMode } from '../../../llm/mode-ladder.js';
import { listChangedSections } from '../../../prompt/context/file-sections.js';
import { sliceLines } from '../../../prompt/new-side-lines.js';
import { nameVariant, type PromptVariant } from '../../../prompt/prompt-variant.js';
import { hasLostLine } from '../../../review/history/findings-as-before.js';
import { locateFindings, type Renames } from '../../../review/history/locate-findings.js';
import { MAX_OPEN } from '../../../review/history/open-finding.js';
import type { FileReading } from '../../../review/history/reviewed-before.js';
import type { Settings } from '../../../settings/settings.js';
import type { Guide } from '../guidance/guidance.js';
import { instructionsFor } from '../instructions.js';
import type { ProviderShare } from '../provider-shares.js';
import { chooseContextLevel } from '../share-context.js';
import { listEarlierOpen } from './earlier-open.js';
import type { EarlierReview, ReviewPast } from './load-history.js';

/** Hunks that an earlier review read as they are: by file and hunk, the review version that read them. */
export type ReadBefore = ReadonlyMap<number, ReadonlyMap<number, number>>;

/** What shapes the question about a hunk, besides the change. */
export interface AskedHow extends Pick<HostRule, 'isInternal'> {
  variant: PromptVariant;
  guide: Guide;
  settings: Pick<Settings, 'review'>;
}

type HunkReading = FileReading['hunks'][number];

const sha256 = (value: JsonValue): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

/** Of its marked lines, and not of where it is: lines that were added above it change nothing. */
function digestHunk({ lines, oldNoNewline = false, newNoNewline = false }: Hunk): string {
  return sha256({ lines: [...lines], oldNoNewline, newNoNewline });
}

/** Of the text of every section that the hunk changes lines of; null where none is known. */
function digestSections(file: RedactedFile, hunk: Hunk): string | null {
  const sections = listChangedSections(file, hunk).flatMap(({ section }) => (section === null ? [] : [section]));
  if (sections.length === 0) return null;
  return sha256([...new Set(sections)].map((section) => [...sliceLines(file, section)]));
}

/** Of the model that a share goes to and of all that a request says about a file, but for the change itself. */
function digestQuestion(
  { provider, change }: Pick<ProviderShare, 'provider' | 'change'>,
  file: number,
  how: AskedHow,
): string {
  const { variant, guide } = how;
  return sha256({
    provider: provider.id,
    model: provider.model,
    extraBody: provider.extraBody ?? {},
    variant: nameVariant(variant),
    instructions: instructionsFor(strongestMode(provider.modes), variant, guide([file])).digest,
    context: chooseContextLevel(how, provider),
    isDescribed: change.description !== '',
  });
}

/** What distinguishes a hunk that a model read from any other. */
export type HunkDigests = Omit<HunkReading, 'reviewVersion'>;

/** Describes the hunks of one file in one share: the question is digested once for all of them. */
export function createHunkDigester(
  share: Pick<ProviderShare, 'provider' | 'change'>,
  file: { at: number; of: RedactedFile },
  how: AskedHow,
): (hunk: Hunk) => HunkDigests {
  const question = digestQuestion(share, file.at, how);
  return (hunk) => ({ hunk: digestHunk(hunk), section: digestSections(file.of, hunk), question });
}

const keyOf = ({ hunk, section, question }: HunkDigests): string => JSON.stringify([hunk, section, question]);

/** By present path, the readings of that file; each serves one hunk. */
function listEarlier(reading: readonly FileReading[], renames: Renames) {
  const earlier = new Map<string, Map<string, number[]>>();
  for (const { file, hunks } of reading) {
    const path = renames.get(file) ?? file;
    const known = earlier.get(path) ?? new Map<string, number[]>();
    for (const hunk of hunks) {
      const versions = known.get(keyOf(hunk)) ?? [];
      versions.push(hunk.reviewVersion);
      known.set(keyOf(hunk), versions);
    }
    earlier.set(path, known);
  }
  return earlier;
}

/** Whether a review reads only what changed since the version before (`review.incremental`). */
export function isIncremental(
  { incremental }: Pick<Settings['review'], 'incremental'>,
  kind: Change['kind'],
  { readAll = false }: { readAll?: boolean | undefined },
): boolean {
  return !readAll && (incremental === 'always' || (incremental === 'shelves' && kind !== 'submitted'));
}

/** True where that review had more findings than are carried on: only another reading brings the rest back. */
function hasLostFindings({ record }: EarlierReview): boolean {
  const { findings, secretFindings, suppressed, earlier, findingsWithheld } = record;
  const known = findings.length + secretFindings.length + suppressed.length + earlier.length;
  return known > MAX_OPEN || Object.values(findingsWithheld).some((count) => count > 0);
}

/** Paths of files that open findings of the model have lost their lines in: these are read again. */
function listLosing(
  past: EarlierReview,
  change: Pick<RedactedChange, 'files'>,
  readBefore: ReadBefore,
): ReadonlySet<string> {
  const { open, hidden } = listEarlierOpen(past);
  const places = locateFindings(open, change, { renames: past.renames, readBefore });
  return new Set(
    open.flatMap((finding, at) => {
      const place = places[at];
      const isAsked = finding.origin === 'model' && !hidden.has(finding.id);
      return isAsked && place?.kind === 'here' && hasLostLine(finding, place) ? [place.file] : [];
    }),
  );
}

/**
 * Hunks that need no request: an earlier review of the change read them, with the sections that they
 * are in, by the same model with the same question. None where other redaction rules made that review,
 * and none of a file in which the line of an open finding is not found again. Deterministic.
 */
export function findReadBefore(
  past: ReviewPast,
  change: Pick<RedactedChange, 'files'>,
  shares: readonly ProviderShare[],
  how: AskedHow,
): ReadBefore {
  const found = new Map<number, ReadonlyMap<number, number>>();
  if (past.kind !== 'found' || past.hasOtherRules || hasLostFindings(past)) return found;
  const earlier = listEarlier(past.record.reading, past.renames);
  for (const share of shares) {
    for (const at of share.files) {
      const file = change.files[at];
      const known = file === undefined ? undefined : earlier.get(file.path);
      if (file === undefined || known === undefined) continue;
      const digest = createHunkDigester(share, { at, of: file }, how);
      const hunks = file.hunks.flatMap((hunk, n): [number, number][] => {
        const version = known.get(keyOf(digest(hunk)))?.shift();
        return version === undefined ? [] : [[n, version]];
      });
      if (hunks.length > 0) found.set(at, new Map(hunks));
    }
  }
  const losing = listLosing(past, change, found);
  return new Map([...found].filter(([at]) => !losing.has(change.files[at]?.path ?? '')));
}
