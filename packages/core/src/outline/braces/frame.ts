import type { Section } from '../section.js';

/** What a pair of delimiters holds; `scope` is a namespace, `object` an object literal or type. */
export type FrameKind = 'file' | 'scope' | 'type' | 'enum' | 'function' | 'block' | 'object' | 'group';

/** A section while the text that holds it is being read. */
export type OpenSection = { -readonly [K in keyof Section]: Section[K] };

/** One open delimiter, linked to the one that holds it: a branch restores the whole stack by one link. */
export interface Frame {
  readonly kind: FrameKind;
  readonly parent: Frame | undefined;
  readonly section: OpenSection | undefined;
  /** The nearest frame with a section, this one included. */
  named: Frame | undefined;
  /** The nearest of `type`, `function` or `file` is a function. */
  readonly inBody: boolean;
  /** Indentation of the line on which the statement begins that opened the frame. */
  readonly column: number;
  /** Index of the token that opened it. */
  readonly opener: number;
  /** Code of the token that opened it; 0 for the file. */
  readonly openCode: number;
  readonly depth: number;
  /** How many braces are open here, this one included. */
  readonly braces: number;
  /** The statement goes on after the frame closes. */
  readonly keepsHead: boolean;
  /** Tokens of the statement being read, directly in this frame. */
  head: number[];
  /** Old C: the head of a function whose parameters are declared before its body. */
  oldStyleHead: readonly number[] | undefined;
  /** Scripts: an arrow function whose body is an expression; it ends with the statement. */
  arrow: OpenSection | undefined;
}

/** What the head of a statement says about the brace that follows it. */
export interface HeadShape {
  readonly kind: Exclude<FrameKind, 'file' | 'group'>;
  /** The name and the index of its token; undefined where the frame has none. */
  readonly name?: { readonly text: string; readonly token: number; readonly qualifiers?: readonly string[] };
  /** Index of the first token of the declaration, where the head begins earlier. */
  readonly start?: number;
  readonly keepsHead?: boolean;
  /** Named after its closing brace: `typedef struct { … } Name;`. */
  readonly namedAfter?: boolean;
}

/** The frame of a whole text. */
export function fileFrame(): Frame {
  return {
    ...{ kind: 'file', parent: undefined, section: undefined, named: undefined, inBody: false },
    ...{
      column: -1,
      opener: -1,
      openCode: 0,
      depth: 0,
      braces: 0,
      keepsHead: false,
      head: [],
      oldStyleHead: undefined,
      arrow: undefined,
    },
  };
}
