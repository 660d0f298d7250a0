import type { ChannelReview, ContentLevel, JsonObject } from '@criticizer/core/ports';
import type { ChatFrame } from '../chat/chat-frame.js';
import type { ChatFinding } from '../chat/describe-finding.js';
import { type ChatList, type ChatReview, describeReview } from '../chat/describe-review.js';
import { fit } from '../chat/fit.js';
import { type ChatDetail, planDetails } from '../chat/plan-findings.js';
import { fill } from '../rendering/review-mail-input.js';
import {
  bullets,
  code,
  context,
  countChars,
  countInline,
  divider,
  emoji,
  header,
  lines,
  link,
  prose,
  quote,
  richText,
  type SlackBlock,
  text,
} from './slack-blocks.js';

/**
 * What Slack takes. The sum over blocks is not documented, and 9,597 characters were seen to pass. No limit of
 * `inline`, the elements of lines in a message, is documented either: 500 is ours, far above a usual message.
 */
export const slackLimits = { blocks: 50, section: 3_000, header: 150, sum: 9_000, text: 4_000, inline: 500 } as const;

/** A message for `chat.postMessage` or an incoming webhook, without channel and metadata. */
export interface SlackMessage {
  /** What it holds of the review. */
  content: ContentLevel;
  /** For notifications and screen readers: of numbers and fixed words alone. */
  text: string;
  blocks: readonly JsonObject[];
}

const marks: Readonly<Record<ChatReview['token'], string>> = {
  critical: 'red_circle',
  high: 'large_orange_circle',
  medium: 'large_yellow_circle',
  low: 'large_blue_circle',
  info: 'white_circle',
  incomplete: 'warning',
  'below-floor': 'white_circle',
  dropped: 'white_circle',
  suppressed: 'white_circle',
  open: 'white_circle',
  clean: 'white_check_mark',
};

/** `&`, `<` and `>` are all that Slack reads as markup of more than looks. */
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text in which Slack reads no mention and no link. */
export function escapeSlackText(value: string): string {
  return value.replace(/[&<>]/g, (char) => escapes[char] ?? char);
}

/** Cut to `max` as it is sent, and never inside an escape. */
function fitEscaped(value: string, max: number): string {
  let cut = fit(value, max);
  while (escapeSlackText(cut).length > max) cut = fit(value, Math.floor(cut.length * 0.9));
  return escapeSlackText(cut);
}

function listLines({ shown, more }: ChatList, { labels }: ChatReview): JsonObject[] {
  const rest = more > 0 ? [text(fill(labels.more, { n: more }), 'italic')] : [];
  return bullets([...shown.map((line) => text(line)), ...rest]);
}

function composeHead(review: ChatReview): SlackBlock[] {
  const { heading, title, verdict, facts, since, notReported, changeUrl, labels, token, summary } = review;
  const open = link(changeUrl, labels.openChange);
  return [
    header(fit(title === '' ? `${labels.review}: ${heading}` : `${heading}: ${title}`, slackLimits.header)),
    ...richText(
      lines([emoji(marks[token]), ...text(` ${verdict}`, 'bold')], since === null ? [] : text(since, 'bold'), [
        ...text(facts),
        ...(open.length === 0 ? [] : [...text(' · '), ...open]),
      ]),
      listLines(notReported, review),
    ),
    ...richText(lines(prose(summary))),
  ];
}

function composeNotes(review: ChatReview): SlackBlock[] {
  const { gap, notes, warnings, notReviewed, labels } = review;
  return [
    ...richText(
      lines(text(gap ?? '')),
      listLines(notReviewed, review),
      lines(...notes.map((note) => text(note))),
      lines(warnings.shown.length === 0 ? [] : text(labels.warnings, 'bold')),
      listLines(warnings, review),
    ),
  ];
}

function composeFinding(finding: ChatFinding, detail: ChatDetail, { labels }: ChatReview): SlackBlock[] {
  const { severity, label, title, file, isInFile, facts, message, suggestion, excerpt, hideUrl } = finding;
  const head = lines(
    [emoji(marks[severity]), ...text(` ${label} · `), ...text(title, 'bold')],
    [...text(file, isInFile ? 'code' : undefined), ...text(isInFile ? ` ${facts}` : ` · ${facts}`)],
  );
  if (detail === 'brief') return richText(head);
  const advice = suggestion === '' ? [] : [...text(`${labels.suggestion}: `, 'bold'), ...prose(suggestion)];
  return richText(head, lines(prose(message)), code(excerpt), quote(advice), lines(link(hideUrl, labels.hideFinding)));
}

/** How many findings a channel reads in full; the rest is named. */
const usualFull = 5;
const maxNamed = 30;

/** What blocks take of `slackLimits.sum`, and in proportion of `slackLimits.inline`, whichever is more. */
function weigh(blocks: readonly SlackBlock[]): number {
  return Math.max(countChars(blocks), countInline(blocks) * (slackLimits.sum / slackLimits.inline));
}

function composeFindings(review: ChatReview, most: number, budget: number): SlackBlock[] {
  const { findings, findingCount, labels } = review;
  const render = (index: number, detail: ChatDetail): SlackBlock[] => {
    const finding = findings[index];
    return finding === undefined ? [] : composeFinding(finding, detail, review);
  };
  const sizeOf = (index: number, detail: ChatDetail): number => {
    const size = weigh(render(index, detail));
    return size > slackLimits.section ? Number.POSITIVE_INFINITY : size;
  };
  const plan = planDetails(findings.length, { budget, maxFull: most, maxShown: maxNamed, sizeOf });
  const more = findingCount - plan.length;
  return [
    ...plan.flatMap((detail, index) => render(index, detail)),
    ...(more > 0 ? richText(lines(text(fill(labels.moreFindings, { n: more }), 'italic'))) : []),
  ];
}

/** Kept for the line that counts what is left out. */
const reserve = 200;

/**
 * The message of a review, in Block Kit: worst findings first and in full, the others by title and
 * place, as many as fit; what is left out is counted. Pure: the same review gives the same message.
 * Words of the change and the model are in `rich_text` and `plain_text` alone, where Slack reads no
 * markup: no mention, no link, no emphasis of theirs is live. At most 50 blocks of 3,000 characters, 9,000 and
 * 500 elements of lines together. Throws `TypeError` for a review that would make the message say something false.
 */
export function composeSlackMessage(review: ChannelReview, frame: ChatFrame): SlackMessage {
  const described = describeReview(review, frame);
  const { heading, verdict, since, footer } = described;
  const head = composeHead(described);
  const notes = composeNotes(described);
  const last = [context(fit(footer, 500))];
  const used = weigh([...head, ...notes, ...last]) + reserve;
  const full = Math.min(review.content?.fullFindings ?? usualFull, usualFull);
  const findings = composeFindings(described, full, Math.max(0, slackLimits.sum - used));
  const blocks = [...head, ...notes, ...(findings.length > 0 ? [divider] : []), ...findings, divider, ...last];
  const said = `${described.labels.review}: ${heading}: ${verdict}${since === null ? '.' : `. ${since}`}`;
  return { content: described.content, text: fitEscaped(said, slackLimits.text), blocks };
}
