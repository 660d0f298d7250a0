import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import type { JsonObject } from '../../foundation/json.js';
import { type RedactedText, readRedactedText } from '../../foundation/redacted-text.js';
import type { LlmProvider, LlmTurn, StructuredMode } from '../../llm/llm-provider.js';
import type { PromptChunk } from '../../prompt/prompt-chunk.js';
import { nameVariant, type PromptVariant } from '../../prompt/prompt-variant.js';
import type { Guidance } from './guidance/guidance.js';
import { instructionsFor } from './instructions.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A turn that shows a chunk of the change. */
export interface ChunkTurn {
  role: 'user';
  files: PromptChunk['files'];
  /** Whether it has the description. */
  isDescribed: boolean;
  /** `digestShown`, where a request shows more than hunks: lists, headings and context depend on settings too. */
  shown?: string | undefined;
}

/** A turn of a question: what it shows of the change, or a text of its own. */
export type QuestionTurn = ChunkTurn | LlmTurn;

/** What shapes the reply to any request of a review, besides its own texts. */
export interface QuestionSetting {
  /** Digest of the redacted snapshot: `digestSnapshot`. */
  snapshot: string;
  provider: Pick<LlmProvider, 'id' | 'model' | 'extraBody'>;
  variant: PromptVariant;
  mode: StructuredMode;
  maxOutputTokens: number;
}

/** Everything of a request that shapes its reply, apart from the change's text, which `snapshot` represents. */
export interface ChunkQuestion extends QuestionSetting {
  guidance: Guidance;
  turns: readonly QuestionTurn[];
}

/** SHA-256 of everything that shapes a reply, hex: `texts` is what the request says. */
export function digestQuestion(
  { snapshot, provider, variant, mode, maxOutputTokens }: QuestionSetting,
  texts: JsonObject,
): string {
  return sha256(
    canonicalJson({
      snapshot,
      provider: provider.id,
      model: provider.model,
      extraBody: provider.extraBody ?? {},
      mode,
      maxOutputTokens,
      variant: nameVariant(variant),
      ...texts,
    }),
  );
}

/** SHA-256 of a redacted snapshot, hex. */
export function digestSnapshot(snapshot: RedactedText): string {
  return sha256(readRedactedText(snapshot).text);
}

function describeTurn(turn: QuestionTurn): JsonObject {
  return 'files' in turn
    ? {
        role: turn.role,
        files: turn.files.map(({ file, hunks }) => ({ file, hunks: [...hunks] })),
        isDescribed: turn.isDescribed,
        ...(turn.shown === undefined ? {} : { shown: turn.shown }),
      }
    : { role: turn.role, text: sha256(readRedactedText(turn.text).text) };
}

/**
 * Name of the job output that holds the reply to this question (GRD-1, ruling R19): a digest of the
 * question, so that a reply to any other question is never found. The place of the chunk in its
 * plan is no part of it: a plan that changes elsewhere keeps the reply.
 */
export function nameReply(question: ChunkQuestion): string {
  const { variant, guidance, mode, turns } = question;
  const instructions = instructionsFor(mode, variant, guidance).digest;
  return `llm.reply.${digestQuestion(question, { turns: turns.map(describeTurn), instructions })}`;
}
