import { z } from 'zod';
import type { CodeReviewTopic } from './code-review-schemas.js';
import { referenceForm } from './comment-reference.js';

const topic = z.custom<CodeReviewTopic>(
  (value) => typeof value === 'string' && /^(reviews|changes)\/[1-9]\d*$/.test(value),
);
const text = z.string().min(1);
const reference = z.string().regex(referenceForm);
const line = z.int().positive().nullable();

const context = z.strictObject({
  file: z.string().min(1),
  /** Left out: the file as a whole. */
  lines: z.strictObject({ left: line, right: line, content: z.array(z.string()).nullable() }).optional(),
  version: z.int().positive().optional(),
});

/** The comment of an earlier version that is changed: its id where one is known, else it has one of these. */
const earlier = { topic, comment: z.int().positive().nullable(), references: z.array(reference).min(1) };

const postBodySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('comment'),
    topic,
    text,
    context: context.nullable(),
    notifies: z.boolean(),
    isTask: z.boolean(),
    /** References of earlier versions of which nobody knows whether they are there: one of them is this comment. */
    sameAs: z.array(reference),
  }),
  z.strictObject({ kind: z.literal('edit'), ...earlier, text, addresses: z.boolean() }),
  z.strictObject({ kind: z.literal('archive'), ...earlier }),
]);

/** What a post of the channel does, as it is frozen: a comment, or a change of an earlier one. */
export type PostBody = z.infer<typeof postBodySchema>;
/** A comment to be made. */
export type CommentBody = Extract<PostBody, { kind: 'comment' }>;
/** A change of an earlier comment. */
export type ChangeBody = Exclude<PostBody, CommentBody>;

/** Throws `TypeError` for a body that this channel did not plan: it is never sent. */
export function readPostBody(body: unknown): PostBody {
  const read = postBodySchema.safeParse(body);
  if (!read.success) throw new TypeError(`post: ${z.prettifyError(read.error).slice(0, 200)}`);
  return read.data;
}
