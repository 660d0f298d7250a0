import { z } from 'zod';

const reviewSchema = z.object({
  id: z.int(),
  changes: z.array(z.int()).default([]),
  versions: z
    .array(z.object({ change: z.int(), archiveChange: z.int().nullish(), pending: z.boolean().optional() }))
    .default([]),
});
const commentSchema = z.object({
  id: z.int(),
  body: z.string(),
  user: z.string(),
  flags: z.array(z.string()).default([]),
});

export const versionsSchema = z.object({ apiVersions: z.array(z.union([z.number(), z.string()])) });
export const reviewsSchema = z.object({ reviews: z.array(reviewSchema) });
export const reviewsPageSchema = reviewsSchema.extend({ lastSeen: z.int().nullish() });
export const commentsPageSchema = z.object({
  comments: z.array(commentSchema),
  lastSeen: z.int().nullish(),
  totalCount: z.int().nullish(),
});
/** The answer to a write; more of a comment is not believed to be there. */
export const writtenSchema = z.object({ comments: z.array(z.object({ id: z.int().positive() })).min(1) });

/** A review, and its versions: the first is version 1. */
export type CodeReview = z.infer<typeof reviewSchema>;

/** A comment of a topic; archived ones have the flag `closed`. */
export type CodeReviewListedComment = z.infer<typeof commentSchema>;

/** A topic of comments. */
export type CodeReviewTopic = `changes/${number}` | `reviews/${number}`;

/** A comment to post. */
export interface NewCodeReviewComment {
  /** Markdown, 1 to 60,000 characters. Text of others goes through `makeInert` first. */
  body: string;
  /** True: an open task. Default false. */
  isTask?: boolean | undefined;
  /** Left out: the comment is about the whole topic. */
  context?:
    | {
        /** Depot path; the server does not check it. */
        file: string;
        /** Line in the base, from 1; null where the line was added. Lines and `content` go together. */
        leftLine?: number | null | undefined;
        /** Line in the version, from 1; null where the line was deleted. Left out: the file as a whole. */
        rightLine?: number | null | undefined;
        /** The line and up to four before it, each with its sign; null where unknown. */
        content?: readonly string[] | null | undefined;
        /** From 1: which version of the review the lines are of. */
        version?: number | undefined;
      }
    | undefined;
}
