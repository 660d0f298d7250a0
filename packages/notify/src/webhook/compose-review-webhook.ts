import type { ChannelReview, ReviewMailFinding } from '@criticizer/core/ports';
import { decideCountsVerdict } from '../rendering/render-counts-mail.js';
import { severities } from '../rendering/review-mail-input.js';
import { fitJson, jsonBytes, wellFormed } from './fit-json.js';
import type { ReviewWebhook } from './review-webhook.js';

/** Standard Webhooks advises less than 20 kB; the members that hold the findings take some of it. */
export const MAX_BODY_BYTES = 20_000;
const MAX_TITLE_BYTES = 600;
const MAX_TEXT_BYTES = 3_000;
const MAX_FILE_BYTES = 3_000;

/** What a body is composed from. */
export type WebhookReview = Pick<
  ChannelReview,
  'changelistId' | 'content' | 'counts' | 'date' | 'level' | 'linkFor' | 'reviewVersion'
>;

type Data = ReviewWebhook['data'];
type Finding = NonNullable<Data['findings']>[number];

function describeHead({ changelistId, reviewVersion, counts }: WebhookReview, url: string | undefined): Data {
  const { serverId, number, kind } = counts.change;
  const { token, phrase } = decideCountsVerdict({ counts });
  const { sinceVersion } = counts;
  const { reviewed, partial, skipped, total } = counts.files;
  return {
    schema_version: 1,
    content: 'counts',
    change: { id: changelistId, server_id: serverId, number, kind, ...(url !== undefined && { url }) },
    review_version: reviewVersion,
    ...{ verdict: token, verdict_text: phrase, conclusive: counts.conclusive },
    without_model: counts.isWithoutModel === true,
    counts: { ...counts.findings },
    hidden: {
      ...{ below_floor: counts.belowFloor, floor: counts.floor },
      ...{ suppressed: counts.suppressed ?? 0, dropped: counts.check?.dropped ?? 0 },
    },
    files: { reviewed, partial, skipped, total },
    withheld_secrets: counts.withheldSecrets,
    ...(sinceVersion !== undefined && {
      since_version: {
        ...{ review_version: sinceVersion.reviewVersion, new: sinceVersion.new },
        ...{ reported_again: sinceVersion.reportedAgain, open: sinceVersion.open },
        ...{ resolved: sinceVersion.resolved, not_verifiable: sinceVersion.notVerifiable },
      },
    }),
    findings_left_out: 0,
  };
}

function describeFinding(finding: ReviewMailFinding, hideUrl: string | undefined): Finding {
  const title = fitJson(finding.title, MAX_TITLE_BYTES);
  const message = fitJson(finding.message, MAX_TEXT_BYTES);
  const suggestion = finding.suggestion === undefined ? null : fitJson(finding.suggestion, MAX_TEXT_BYTES);
  const file = finding.file === null ? null : fitJson(finding.file, MAX_FILE_BYTES);
  const { line, endLine, status } = finding.place;
  return {
    id: finding.id,
    origin: finding.origin ?? 'model',
    ...{ severity: finding.severity, category: fitJson(finding.category, MAX_TITLE_BYTES).text },
    ...{ title: title.text, message: message.text },
    ...(suggestion !== null && { suggestion: suggestion.text }),
    ...{ file: file?.text ?? null, line, end_line: endLine, place: status },
    ...(finding.state !== undefined && { state: finding.state }),
    is_cut: [title, message, suggestion, file].some((part) => part?.isCut === true),
    ...(hideUrl !== undefined && { hide_url: hideUrl }),
  };
}

function withExcerpt(finding: Finding, { excerpt }: ReviewMailFinding): Finding {
  if (excerpt === undefined || excerpt.length === 0) return finding;
  return {
    ...finding,
    excerpt: excerpt.map(({ line, text, isCited }) => ({ line, text: wellFormed(text), is_cited: isCited })),
  };
}

const graver = (a: ReviewMailFinding, b: ReviewMailFinding): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity);

/** As many as fit, gravest first, each with its code where that fits too; ends at the first that does not. */
function fitFindings(review: WebhookReview, roomBytes: number, target: string): readonly Finding[] {
  const sorted = [...(review.content?.result.findings ?? [])].sort(graver);
  const fitting: Finding[] = [];
  let left = roomBytes;
  for (const finding of sorted) {
    const plain = describeFinding(finding, review.linkFor(finding.id, target));
    const coded = review.level === 'code' ? withExcerpt(plain, finding) : plain;
    const one = jsonBytes(coded) < left ? coded : plain;
    left -= jsonBytes(one) + 1;
    if (left < 0) break;
    fitting.push(one);
  }
  return fitting;
}

/**
 * The body of one review's webhook (NOT-1, ruling R21): at most 20,000 bytes as JSON. Numbers and the link alone
 * where `review.level` is `counts`; with findings, the gravest first, as many as fit, and the number of the
 * others in `findings_left_out`; with code at `code`. `changeUrl` is the link to the change. Pure.
 */
export function composeReviewWebhook(
  review: WebhookReview,
  { changeUrl, target }: { changeUrl?: string | undefined; target: string },
): ReviewWebhook {
  const head = describeHead(review, changeUrl);
  const frame = { type: 'review.completed', timestamp: review.date.toISOString() } as const;
  const { content } = review;
  if (content === null) return { ...frame, data: head };
  const { user, description } = content.change;
  const { summary } = content.result;
  const data: Data = {
    ...head,
    content: 'findings',
    change: {
      ...head.change,
      ...{ user: fitJson(user, MAX_TITLE_BYTES).text, description: fitJson(description, MAX_TEXT_BYTES).text },
    },
    ...(summary !== undefined && { summary: fitJson(summary, MAX_TEXT_BYTES).text }),
    findings: [],
    findings_left_out: content.result.findings.length + content.notShown.overCap,
  };
  const findings = fitFindings(review, MAX_BODY_BYTES - jsonBytes({ ...frame, data }), target);
  const hasCode = findings.some(({ excerpt }) => excerpt !== undefined);
  return {
    ...frame,
    data: {
      ...data,
      content: hasCode ? 'code' : 'findings',
      findings: [...findings],
      findings_left_out: data.findings_left_out - findings.length,
    },
  };
}
