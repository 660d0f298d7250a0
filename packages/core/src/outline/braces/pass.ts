import type { BraceLanguage } from '../scan/lexical-rules.js';
import type { StepBudget } from '../scan/step-budget.js';
import type { TokenList } from '../scan/token-list.js';
import type { Declaration } from '../section.js';
import type { Branch } from './branch.js';
import type { ColumnIndex } from './column-index.js';
import type { Frame, HeadShape, OpenSection } from './frame.js';

/** A statement up to a brace. `head` has groups in parentheses or brackets as their two delimiters. */
export interface Head {
  readonly tokens: TokenList;
  readonly head: readonly number[];
  readonly frame: Frame;
  readonly language: BraceLanguage;
}

/** A name that a statement declares without a section of its own. */
export interface DeclaredName {
  readonly kind: Declaration['kind'];
  /** Index of the name's token. */
  readonly token: number;
}

/** How a language reads statements. */
export interface HeadRules {
  /** What the brace after the head opens. */
  classify(head: Head): HeadShape;
  /** What the statement of the frame declares, if anything. */
  declare(pass: BracePass): DeclaredName | undefined;
  /** True where token `at` begins a new statement without a `;` before it. */
  endsBefore?(pass: BracePass, at: number): boolean;
  /** True where the token just added ends the statement: a label such as `public:`. */
  endsAfter?(pass: BracePass, at: number): boolean;
  /** The name of an arrow function whose body is an expression, when the head ends in its arrow. */
  nameArrow?(head: Head): HeadShape['name'];
  /** True where the open group holds declarations: `const ( … )` of Go. */
  declaresInGroup?(pass: BracePass): boolean;
  /** True where the open group may hold a `;`. */
  allowsSemicolon(pass: BracePass): boolean;
}

/** One reading of a text by braces. The plain reading trusts them; the recovering one trusts columns too. */
export interface BracePass {
  readonly tokens: TokenList;
  readonly language: BraceLanguage;
  readonly rules: HeadRules;
  readonly budget: StepBudget;
  /** Columns of lines, in the recovering reading only. */
  readonly columns: ColumnIndex | undefined;
  readonly sections: OpenSection[];
  readonly declarations: Declaration[];
  frame: Frame;
  branch: Branch | undefined;
  balanced: boolean;
  /** Index of the last `}` read, for sections that end before a token that cannot be theirs. */
  lastCloser: number;
  /** That `}` closed a function. */
  closedFunction: boolean;
}

/** Ends the section of a frame; where branches end it twice, the later end counts. */
export function endSection({ section }: Frame, line: number): void {
  if (section !== undefined) section.endLine = Math.max(section.endLine, section.bodyLine, line);
}
