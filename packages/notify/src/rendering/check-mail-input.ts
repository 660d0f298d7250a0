import type { ReviewMailFinding } from '@criticizer/core/ports';
import { type CountsMailInput, type ReviewMailInput, severities } from './review-mail-input.js';

/** How sure a place is, surest first; see `FindingPlace` of `@criticizer/core`. */
const placeStatuses: readonly ReviewMailFinding['place']['status'][] = ['exact', 'moved', 'file', 'unverified'];

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const usesScheme = (link: string, scheme: RegExp): boolean =>
  scheme.test(URL.canParse(link) ? new URL(link).protocol : '');

type Refuse = (field: string, expected: string) => never;

function checkFinding({ severity, place, hideUrl }: ReviewMailFinding, refuse: Refuse): void {
  if (hideUrl !== undefined && !usesScheme(hideUrl, /^https?:$/))
    refuse('result.findings[].hideUrl', 'an http or https URL');
  if (!severities.includes(severity)) refuse('result.findings[].severity', severities.join(', '));
  if (!placeStatuses.includes(place?.status)) refuse('result.findings[].place.status', placeStatuses.join(', '));
  const hasLine = place.status === 'exact' || place.status === 'moved';
  if (hasLine && !(isCount(place.line) && place.line !== 0))
    refuse('result.findings[].place.line', 'a positive integer');
  if (!hasLine && place.line !== null)
    refuse('result.findings[].place.line', `null where the place is ${place.status}`);
  const isGrave = severities.indexOf(severity) < severities.indexOf('medium');
  if (place.status === 'unverified' && isGrave)
    refuse('result.findings[].severity', 'at most medium where the place is unverified');
}

function checkNotShown({ belowFloor, overCap, floor }: ReviewMailInput['notShown'], refuse: Refuse): void {
  if (!isCount(belowFloor)) refuse('notShown.belowFloor', 'a whole number');
  if (!isCount(overCap)) refuse('notShown.overCap', 'a whole number');
  if (!severities.includes(floor)) refuse('notShown.floor', severities.join(', '));
}

function checkCounts(counts: Readonly<Record<string, number>>, field: string, refuse: Refuse): void {
  if (!Object.values(counts).every(isCount)) refuse(field, 'whole numbers');
}

const refuseField: Refuse = (field, expected) => {
  throw new TypeError(`review mail: ${field}: expected ${expected}`);
};

function checkIdentity(
  input: Pick<ReviewMailInput, 'reviewVersion' | 'conclusive' | 'withheldSecrets' | 'check' | 'suppressed'>,
): void {
  if (!Number.isSafeInteger(input.reviewVersion) || input.reviewVersion < 1)
    refuseField('reviewVersion', 'a positive integer');
  if (typeof input.conclusive !== 'boolean') refuseField('conclusive', 'a boolean');
  if (!isCount(input.withheldSecrets)) refuseField('withheldSecrets', 'a whole number');
  const { dropped, notChecked } = input.check ?? { dropped: 0, notChecked: 0 };
  if (!isCount(dropped) || !isCount(notChecked)) refuseField('check', 'whole numbers');
  if (input.suppressed !== undefined && !isCount(input.suppressed)) refuseField('suppressed', 'a whole number');
}

/** Throws `TypeError` naming the field whose value would make a mail of counts say something false. */
export function checkCountsMailInput(input: CountsMailInput): void {
  const { counts } = input;
  if (!isCount(counts.change.number)) refuseField('change.number', 'a whole number');
  checkIdentity(counts);
  checkCounts(counts.findings, 'findings', refuseField);
  checkCounts(counts.files, 'files', refuseField);
  if (!isCount(counts.belowFloor)) refuseField('belowFloor', 'a whole number');
  if (!severities.includes(counts.floor)) refuseField('floor', severities.join(', '));
  checkLinks(input.links, refuseField);
}

/** Throws `TypeError` naming the field whose value would make the mail say something false. */
export function checkReviewMailInput(input: ReviewMailInput): void {
  const refuse = refuseField;
  if (!isCount(input.change.number)) refuse('change.number', 'a whole number');
  checkIdentity(input);
  if (input.fullFindings !== undefined && !isCount(input.fullFindings)) refuse('fullFindings', 'a whole number');
  for (const finding of input.result.findings) checkFinding(finding, refuse);
  checkNotShown(input.notShown, refuse);
  for (const file of input.coverage.files) {
    const isKnown = ['reviewed', 'partial', 'skipped'].includes(file.state);
    if (!isKnown) refuse('coverage.files[].state', 'reviewed, partial or skipped');
  }
  checkLinks(input.links, refuse);
}

function checkLinks(links: ReviewMailInput['links'], refuse: Refuse): void {
  const { change, unsubscribe } = links ?? {};
  if (change !== undefined && !usesScheme(change, /^https?:$/)) refuse('links.change', 'an http or https URL');
  if (unsubscribe !== undefined && !(usesScheme(unsubscribe, /^(?:https?|mailto):$/) && !/[<>\s]/.test(unsubscribe)))
    refuse('links.unsubscribe', 'an http, https or mailto URL');
}
