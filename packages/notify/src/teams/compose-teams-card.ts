import type { ChannelReview, ContentLevel, JsonObject } from '@criticizer/core/ports';
import type { ChatFrame } from '../chat/chat-frame.js';
import type { ChatFinding } from '../chat/describe-finding.js';
import { type ChatList, type ChatReview, describeReview } from '../chat/describe-review.js';
import { type ChatDetail, planDetails } from '../chat/plan-findings.js';
import { fill } from '../rendering/review-mail-input.js';
import {
  type CardElement,
  type CardStyle,
  cardLimit,
  codeLines,
  costOfCardChar,
  line,
  link,
  measure,
  paragraphs,
  prose,
  run,
  toCardUrl,
  words,
} from './card-elements.js';

/** A message for a Workflows webhook. */
export interface TeamsCard {
  /** What it holds of the review. */
  content: ContentLevel;
  /** `{type: 'message', attachments: [the card]}`. */
  message: JsonObject;
}

const colors: Readonly<Record<ChatReview['token'], NonNullable<CardStyle['color']>>> = {
  critical: 'attention',
  high: 'attention',
  medium: 'warning',
  low: 'accent',
  info: 'default',
  incomplete: 'warning',
  'below-floor': 'default',
  dropped: 'default',
  suppressed: 'default',
  open: 'default',
  clean: 'good',
};

function listLines({ shown, more }: ChatList, { labels }: ChatReview): CardElement[] {
  return [
    ...shown.flatMap((one) => line(run(`• ${one}`))),
    ...(more > 0 ? words(fill(labels.more, { n: more }), { isSubtle: true }) : []),
  ];
}

function composeHead(review: ChatReview): CardElement[] {
  const { heading, title, verdict, facts, since, token, labels, summary } = review;
  return [
    ...words(`${labels.review}: ${heading}`, { size: 'Large', weight: 'Bolder' }),
    ...line(run(title, { bold: true })),
    ...words(verdict, { weight: 'Bolder', color: colors[token] }),
    ...words(since ?? '', { weight: 'Bolder' }),
    ...line(run(facts, { subtle: true })),
    ...listLines(review.notReported, review),
    ...paragraphs(summary),
  ];
}

function composeNotes(review: ChatReview): CardElement[] {
  const { gap, notes, warnings, notReviewed, labels } = review;
  return [
    ...words(gap ?? ''),
    ...listLines(notReviewed, review),
    ...notes.flatMap((note) => words(note)),
    ...(warnings.shown.length === 0 ? [] : words(labels.warnings, { weight: 'Bolder' })),
    ...listLines(warnings, review),
  ];
}

function composeFinding(finding: ChatFinding, detail: ChatDetail, { labels }: ChatReview): CardElement {
  const { severity, label, title, file, isInFile, facts, message, suggestion, excerpt, hideUrl } = finding;
  const head = [
    ...line([
      ...run(`${label.toUpperCase()}  `, { bold: true, color: colors[severity] }),
      ...run(title, { bold: true }),
    ]),
    ...line([...run(file, { mono: isInFile, subtle: !isInFile }), ...run(` · ${facts}`, { subtle: true })], 'None'),
  ];
  const [first = '', ...others] = suggestion.split('\n');
  const advice = line([...run(`${labels.suggestion}: `, { bold: true }), ...prose(first)]);
  const rest = [
    ...paragraphs(message),
    ...codeLines(excerpt),
    ...(suggestion === '' ? [] : [...advice, ...paragraphs(others.join('\n'))]),
    ...link(hideUrl, labels.hideFinding),
  ];
  const items = detail === 'brief' ? head : [...head, ...rest];
  return { type: 'Container', separator: true, spacing: 'Medium', items };
}

/** How many findings a channel reads in full; the rest is named. */
const usualFull = 5;
const maxNamed = 30;

function composeFindings(review: ChatReview, most: number, budget: number): CardElement[] {
  const { findings, findingCount, labels } = review;
  const render = (index: number, detail: ChatDetail): CardElement[] => {
    const finding = findings[index];
    return finding === undefined ? [] : [composeFinding(finding, detail, review)];
  };
  // Brackets are counted as the comma that joins it.
  const sizeOf = (index: number, detail: ChatDetail): number => measure(render(index, detail));
  const plan = planDetails(findings.length, { budget, maxFull: most, maxShown: maxNamed, sizeOf });
  const more = findingCount - plan.length;
  return [
    ...plan.flatMap((detail, index) => render(index, detail)),
    ...(more > 0 ? words(fill(labels.moreFindings, { n: more }), { separator: true, isSubtle: true }) : []),
  ];
}

function toMessage(body: readonly CardElement[], { changeUrl, labels }: ChatReview): JsonObject {
  const url = toCardUrl(changeUrl);
  const actions = url === undefined ? {} : { actions: [{ type: 'Action.OpenUrl', title: labels.openChange, url }] };
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4', msteams: { width: 'Full' }, body, ...actions },
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content: card }] };
}

/** Kept for the line that counts what is left out. */
const reserve = 300;

/**
 * The message of a review as an Adaptive Card 1.4: worst findings first and in full, the others by title and
 * place, as many as fit into 20,000 bytes; what is left out is counted. Pure: the same review gives
 * the same message. Words of the change and the model are in text runs alone, where a card reads no
 * Markdown: no mention, no link, no emphasis of theirs is live. Throws `TypeError` for a review that would
 * make the message say something false.
 */
export function composeTeamsCard(review: ChannelReview, frame: ChatFrame): TeamsCard {
  const described = describeReview(review, { ...frame, costOf: costOfCardChar });
  const before = [...composeHead(described), ...composeNotes(described)];
  const last = words(described.footer, { size: 'Small', isSubtle: true, separator: true, spacing: 'Medium' });
  const used = measure(toMessage([...before, ...last], described)) + reserve;
  const full = Math.min(review.content?.fullFindings ?? usualFull, usualFull);
  const findings = composeFindings(described, full, Math.max(0, cardLimit - used));
  return { content: described.content, message: toMessage([...before, ...findings, ...last], described) };
}
