import type { Language } from './language.js';

/**
 * One named part of a file. Lines are 1-based and inclusive; sections are nested or disjoint, but
 * two may share the line on which one ends and the next begins.
 */
export interface Section {
  readonly kind: 'function' | 'type' | 'key';
  /** As written, without its qualifiers: `Tick`, `~Player`, `operator==`, `TEST(Suite, Case)`. */
  readonly name: string;
  /** Names of what holds it, the outermost first. Namespaces and unnamed blocks do not count. */
  readonly outer: readonly string[];
  /** First line of the declaration, with attributes and template parameters. */
  readonly startLine: number;
  readonly nameLine: number;
  /** Where the body begins: the line of `{`, or the last line of a head that ends in `:`. */
  readonly bodyLine: number;
  readonly endLine: number;
}

/** A name that the file declares with no section of its own: one line, or a few. */
export interface Declaration {
  /** `member`: of an enumeration. `value`: a constant, a field or a variable outside functions. */
  readonly kind: 'function' | 'type' | 'member' | 'value' | 'macro' | 'key';
  readonly name: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** How an outline was made. */
export type OutlineMethod = 'braces' | 'indent' | 'keywords' | 'tags' | 'keys';

export interface Outline {
  readonly language: Language;
  readonly method: OutlineMethod;
  /** False where the text does not close what it opens: sections then end by columns, and may be off. */
  readonly balanced: boolean;
  /** In the order of `startLine`; of two that start together, the outer one first. */
  readonly sections: readonly Section[];
  readonly declarations: readonly Declaration[];
}

/** Bounds of one outline. */
export interface OutlineLimits {
  /** Size of the text as UTF-8. */
  readonly maxBytes: number;
  /** Units of work, about one a character; a text costs at most a fixed number of steps a character. */
  readonly maxSteps: number;
}

/** A range of lines, 1-based and inclusive. */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}
