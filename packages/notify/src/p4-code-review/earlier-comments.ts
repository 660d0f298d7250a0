import type { EarlierPost, Severity } from '@criticizer/core/ports';
import type { CodeReviewTopic } from './code-review-schemas.js';
import { referenceOf } from './comment-reference.js';
import { readTarget, type TargetMeaning } from './comment-targets.js';

/** A comment that an earlier version of the review made, as far as its row tells. */
export interface EarlierComment {
  /** The server's id; null: it may or may not be there. */
  comment: number | null;
  /** Where `comment` is null, of every attempt at it of which nobody knows: one of them may be there. */
  references: readonly string[];
  /** True: it was to say that its finding is resolved, or to be archived, and nobody knows whether that was done. */
  mayBeClosed: boolean;
  place: string;
  severity: Severity;
}

/** What the topic holds already. */
export interface EarlierComments {
  /** By the key of a finding: the last one is what is said of it now, those before it are outdated. */
  findings: ReadonlyMap<string, readonly EarlierComment[]>;
  /** By the version of the review: those that are not surely archived. */
  summaries: ReadonlyMap<number, Pick<EarlierComment, 'comment' | 'references'>>;
}

type FindingMeaning = Extract<TargetMeaning, { about: 'finding' }>;

const idOf = ({ id }: EarlierPost): number | null => (id !== null && /^[1-9]\d*$/.test(id) ? Number(id) : null);

/** What a finding's comments became by one post; a change of which nobody knows is not done, and planned again. */
function follow(
  comments: readonly EarlierComment[],
  meaning: FindingMeaning,
  post: EarlierPost,
): readonly EarlierComment[] {
  const last = comments.at(-1);
  if (meaning.does === 'comment') {
    const { place, severity } = meaning;
    const comment = idOf(post);
    const reference = referenceOf(post.key);
    const isSamePlace = last !== undefined && !last.mayBeClosed && last.place === place && last.severity === severity;
    // It was to post what nobody knew to be there; meanwhile that was found.
    if (isSamePlace && last.comment !== null && (comment === null || comment === last.comment)) return comments;
    const isAgain = isSamePlace && last.comment === null;
    const references = comment === null && isAgain ? [...last.references, reference] : [reference];
    const said = { comment, references, place, severity, mayBeClosed: false };
    return [...(isAgain ? comments.slice(0, -1) : comments), said];
  }
  if (last === undefined) return comments;
  if (meaning.does === 'moved') {
    const isMeant = ({ place, severity }: EarlierComment) => place === meaning.place && severity === meaning.severity;
    if (post.id !== null) return comments.filter((one) => !isMeant(one));
    return comments.map((one) => (isMeant(one) ? { ...one, mayBeClosed: true } : one));
  }
  if (post.id === null)
    return meaning.does === 'resolved' ? [...comments.slice(0, -1), { ...last, mayBeClosed: true }] : comments;
  if (meaning.does === 'resolved') return [];
  return [...comments.slice(0, -1), { ...last, severity: meaning.severity }];
}

/**
 * Reads the rows of earlier versions, which are all that this channel remembers: no request is sent, so
 * that a plan is the same however many of its own comments are there.
 */
export function readEarlier(topic: CodeReviewTopic, posts: readonly EarlierPost[]): EarlierComments {
  const findings = new Map<string, readonly EarlierComment[]>();
  const summaries = new Map<number, Pick<EarlierComment, 'comment' | 'references'>>();
  // One version says that an old comment is outdated and reports the finding again: the new one counts last.
  const rank = ({ does }: TargetMeaning): number => (does === 'comment' ? 1 : 0);
  const read = posts
    .flatMap((post) => {
      const meaning = readTarget(topic, post.target);
      return meaning === null ? [] : [{ post, meaning }];
    })
    .sort((a, b) => a.post.reviewVersion - b.post.reviewVersion || rank(a.meaning) - rank(b.meaning));
  for (const { post, meaning } of read) {
    if (meaning.about === 'summary') {
      if (meaning.does === 'comment')
        summaries.set(post.reviewVersion, { comment: idOf(post), references: [referenceOf(post.key)] });
      else if (post.id !== null) summaries.delete(meaning.reviewVersion);
    } else findings.set(meaning.finding, follow(findings.get(meaning.finding) ?? [], meaning, post));
  }
  return { findings, summaries };
}
