import { checkFields, type OptionShape } from '../foundation/check-options.js';
import { oneOf, optional } from '../foundation/option-checks.js';
import type { CodeExcerpt } from '../review/code-excerpt.js';
import type { StoredReview } from '../stages/llm/stored-review.js';
import { renderGitlab } from './gitlab.js';
import { renderJson } from './json.js';
import { createLocalPaths } from './local-path.js';
import { renderMarkdown } from './markdown.js';
import { renderRdjson } from './rdjson.js';
import type { ReportView } from './report-view.js';
import { renderSarif } from './sarif.js';

/** What `formatReview` writes. */
export const reviewFormats = ['sarif', 'rdjson', 'gitlab', 'markdown', 'json'] as const;

/**
 * `sarif`: SARIF 2.1.0. `rdjson`: for reviewdog. `gitlab`: a code quality report. `markdown`: for
 * people. `json`: the review itself.
 */
export type ReviewFormat = (typeof reviewFormats)[number];

/** How `formatReview` writes. */
export interface FormatReviewOptions {
  /**
   * The depot folder that the reader's workspace or repository holds: `//depot/main`. Paths below it
   * are written relative to it. Default: relative to the server, `depot/main/a.c`. JSON has depot paths.
   */
  root?: string | undefined;
  /** Redacted code by finding id, of `Criticizer.excerpts`; Markdown and JSON show it. Default: none. */
  excerpts?: ReadonlyMap<string, CodeExcerpt> | undefined;
}

const renderers: Readonly<Record<ReviewFormat, (view: ReportView) => string>> = {
  sarif: renderSarif,
  rdjson: renderRdjson,
  gitlab: renderGitlab,
  markdown: renderMarkdown,
  json: renderJson,
};

/** True for what `root` takes: a depot folder without a slash at its end. */
export function isDepotFolder(value: unknown): value is string {
  return typeof value === 'string' && /^\/\/[^/].*[^/]$/.test(value);
}

const shape: OptionShape<FormatReviewOptions> = {
  root: optional((option, value) => {
    if (!isDepotFolder(value))
      throw new TypeError(`${option}: expected a depot folder without a slash at its end, such as //depot/main`);
  }),
  excerpts: optional((option, value) => {
    if (!(value instanceof Map)) throw new TypeError(`${option}: expected a Map of excerpts by finding id`);
  }),
};

/**
 * A finished review as a text that other tools read: the same findings at the same places and
 * severities as the mail, all of them, gravest first (GRD-2). Pure. A finding's fingerprint is its
 * id, which stays over versions of the change. Every format says what was not reviewed, so an
 * empty list of findings is not praise. Model's text is written so that no viewer acts on it. The
 * caller answers for what leaves: this text has findings, and paths as the review was read with.
 * Throws `TypeError` for an unknown format or option.
 */
export function formatReview(review: StoredReview, format: ReviewFormat, options: FormatReviewOptions = {}): string {
  oneOf(...reviewFormats)('formatReview: format', format);
  checkFields('formatReview: options', options, shape);
  const { root = null, excerpts = new Map() } = options;
  return renderers[format]({ review, paths: createLocalPaths(root), excerpts });
}
