import { classifyFailure } from '../../../foundation/failures/failure.js';
import type { LlmReply } from '../../../llm/llm-provider.js';
import { modeLadder, strongestMode } from '../../../llm/mode-ladder.js';
import { type CheckOutcome, type CheckReading, readVerdicts } from '../../../review/check/read-verdicts.js';
import type { Diagnostic, NotCheckedReason } from '../../../review/diagnostics.js';
import { egressParts, type LlmStageOptions, type ReviewUnderWay, sendRequest } from '../ask-model.js';
import { describeAsked } from '../ask-part.js';
import type { ModelUsage } from '../model-usage.js';
import { maxReplyBytes } from '../read-reply.js';
import { isBudgetSpent } from '../spending/review-budget.js';
import { type ModelAnswer, type Reviewer, readStoredReply, storeReply } from '../stored-reply.js';
import { type CheckQuestion, countCheckTokens, nameCheck, planCheckRequest } from './check-request.js';

/** What one check said of its findings, and what it took. */
export interface CheckAnswer extends CheckReading {
  reviewer: Reviewer;
  usage: ModelUsage;
}

/** Why the findings of a check stay as they are. */
export interface NotChecked {
  because: NotCheckedReason;
  failure: string | null;
}

/**
 * The stored reply to this very question, or a new one, which is stored whatever it says: a check is
 * asked once. Throws what `sendRequest` and a checkpoint throw.
 */
export async function askCheck(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  question: CheckQuestion,
): Promise<CheckAnswer> {
  const asked = describeAsked(review, question);
  const answer = (await findAnswer(options, review, question)) ?? (await send(options, review, question));
  const { provider, model } = asked;
  return {
    ...readAnswer(review, question, answer.reply),
    reviewer: { ...asked, mode: answer.mode },
    usage: { provider, model, replies: 1, ...answer.reply.usage },
  };
}

async function findAnswer(
  { artifacts }: LlmStageOptions,
  { context, variant, snapshotDigest: snapshot }: ReviewUnderWay,
  question: CheckQuestion,
): Promise<ModelAnswer | null> {
  for (const mode of modeLadder.filter((one) => question.share.provider.modes.includes(one))) {
    const stored = await readStoredReply(artifacts, context, nameCheck(question, { variant, snapshot }, mode));
    if (stored?.answers[0] !== undefined) return stored.answers[0];
  }
  return null;
}

async function send(options: LlmStageOptions, review: ReviewUnderWay, question: CheckQuestion): Promise<ModelAnswer> {
  const about = egressParts(options, review);
  const answer = await sendRequest(options, review, {
    share: question.share,
    files: question.chunk.files.map(({ file }) => file),
    mode: strongestMode(question.share.provider.modes),
    maxOutputTokens: question.maxOutputTokens,
    countTokens: () => countCheckTokens(question),
    plan: (mode) => planCheckRequest(question, { ...options, ...review, ...about, mode }),
  });
  const { variant, snapshotDigest: snapshot } = review;
  const name = nameCheck(question, { variant, snapshot }, answer.mode);
  const asked = describeAsked(review, question);
  await storeReply(options.artifacts, review.context, name, { format: 2, asked, answers: [answer] });
  return answer;
}

/** Each finding as it is. */
export function leaveAll(ids: readonly string[], { because, failure }: NotChecked): Map<string, CheckOutcome> {
  return new Map(ids.map((id) => [id, { verdict: null, because, failure }]));
}

function readAnswer({ replyRedaction }: ReviewUnderWay, question: CheckQuestion, reply: LlmReply): CheckReading {
  const { findings: candidates, template } = question;
  const notes = (reply.notes ?? []).map((note): Diagnostic => ({ code: 'reply_noted', note }));
  const { stop } = reply;
  if (stop === 'refused' || stop === 'content_filtered' || stop === 'context_overflow') {
    const because = stop === 'context_overflow' ? ('no_room' as const) : ('refused' as const);
    const ids = candidates.map(({ id }) => id);
    return { outcomes: leaveAll(ids, { because, failure: stop }), diagnostics: notes };
  }
  const read = readVerdicts({
    texts: [reply.text, ...(reply.moreTexts ?? [])],
    stop,
    candidates,
    checkVersion: template.checkVersion,
    maxBytes: maxReplyBytes,
    redact: (text) => replyRedaction.redact(text),
  });
  return { ...read, diagnostics: [...notes, ...read.diagnostics] };
}

const ownFaults: ReadonlySet<string> = new Set(['LLM_NO_ANSWER', 'LLM_REPLY_UNREADABLE']);
const ownCategories: ReadonlySet<string> = new Set(['validation', 'policy', 'not_found']);

/**
 * Why findings stay as they are after this failure: a spent budget, a request that the guard held
 * back, or a fault of the provider's own that waiting does not heal. Null for any other failure, an
 * outage for instance: the review waits, or fails, as it does for a review's request.
 */
export function explainNotChecked(error: unknown): NotChecked | null {
  if (isBudgetSpent(error)) return { because: 'budget_spent', failure: error.budget };
  const { code, category, parks } = classifyFailure(error);
  if (parks) return null;
  if (code === 'EGRESS_BLOCKED') return { because: 'request_blocked', failure: code };
  const isOwn = /^(LLM|HTTP)_/.test(code) && (ownFaults.has(code) || ownCategories.has(category));
  return isOwn ? { because: 'provider_failed', failure: code } : null;
}
