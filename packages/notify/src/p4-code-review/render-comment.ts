import type { ReviewMailFinding, Severity } from '@criticizer/core/ports';
import { defaultLabels } from '../rendering/review-mail-input.js';
import { describeDoubt } from '../rendering/review-verdict.js';
import { cut, visibleLine, visibleText } from '../rendering/visible-text.js';
import { makeInert, makeInertCode } from './inert-text.js';

const maxTitle = 300;
const maxMessage = 6_000;
const maxSuggestion = 3_000;

const labels = defaultLabels;

/** `High`, `Critical`: as a comment begins. */
export function nameSeverity(severity: Severity): string {
  const word = labels[severity];
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** One line of foreign text. */
export function inertLine(text: string, maxChars: number): string {
  return makeInert(visibleLine(text, maxChars));
}

/** Foreign text with its lines. */
export function inertText(text: string, maxChars: number): string {
  // Cut before signs are escaped: half an escape would be one of what follows.
  return makeInert(cut(visibleText(text.trim().slice(0, maxChars * 2)), maxChars));
}

/** Title and severity in one line. */
export function headLine({ severity, title }: Pick<ReviewMailFinding, 'severity' | 'title'>): string {
  return `**${nameSeverity(severity)}:** ${inertLine(title, maxTitle)}`;
}

/** A link of ours as Markdown takes it. */
function linkTo(word: string, url: string): string {
  const { href } = new URL(url);
  return `[${word}](${href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

/** One line is prose or a line of code; several keep their indentation. */
function renderSuggestion(suggestion: string): string {
  const text = cut(visibleText(suggestion.slice(0, maxSuggestion * 2)), maxSuggestion).trimEnd();
  const isCode = text.trim().includes('\n');
  return isCode
    ? `**${labels.suggestion}:**\n\n${makeInertCode(text.replace(/^\n+/, ''))}`
    : `**${labels.suggestion}:** ${makeInert(text)}`;
}

/** The last line: who says it, how a reader hides it, and what the comment is looked up by. */
function signature(references: readonly string[], { origin, hideUrl }: Pick<ReviewMailFinding, 'hideUrl' | 'origin'>) {
  const who =
    origin === 'redaction' ? 'Criticizer: a credential, found without a model' : 'Criticizer, a language model';
  const hide = hideUrl === undefined ? [] : [linkTo(labels.hideFinding, hideUrl)];
  return [`*${who}*`, ...hide, ...references].join(' · ');
}

/** What is said of a finding where its line cannot be shown. */
function describePlace({ place }: ReviewMailFinding, hasLines: boolean): string | null {
  if (hasLines || place.line === null) return null;
  return `Line ${place.line} of the content that was reviewed.`;
}

/** The comment of a finding, in Markdown in which foreign text does nothing. */
export function renderComment(
  finding: ReviewMailFinding,
  { references, hasLines }: { references: readonly string[]; hasLines: boolean },
): string {
  const { category, message, suggestion, state } = finding;
  const doubt = describeDoubt(finding, labels);
  const facts = [
    inertLine(category, 40),
    // Not by its number: the server would make a link of it.
    ...(state === 'open' ? ['reported before'] : []),
    ...(doubt === null ? [] : [doubt]),
  ];
  const place = describePlace(finding, hasLines);
  return [
    `${headLine(finding)} (${facts.join(', ')})`,
    ...(place === null ? [] : [place]),
    inertText(message, maxMessage),
    ...(suggestion === undefined || suggestion.trim() === '' ? [] : [renderSuggestion(suggestion)]),
    signature(references, finding),
  ].join('\n\n');
}

/** What a comment becomes when its finding is gone. */
export function renderResolved(
  finding: { severity: Severity; title: string; reason?: string | undefined },
  { references, version }: { references: readonly string[]; version: number | null },
): string {
  const since = version === null ? 'Resolved since.' : `Resolved in version ${version}.`;
  return [
    `**${since}** ${nameSeverity(finding.severity)}: ${inertLine(finding.title, maxTitle)}`,
    ...(finding.reason === undefined || finding.reason.trim() === '' ? [] : [inertText(finding.reason, 1_000)]),
    signature(references, {}),
  ].join('\n\n');
}
