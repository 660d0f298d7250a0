import type { Frame } from './frame.js';

/** Where the text was at an `#if`, so that each of its branches begins there. */
export interface Branch {
  readonly outer: Branch | undefined;
  readonly frame: Frame;
  readonly head: readonly number[];
  readonly never: boolean;
  /** Where the branch that counts ended; undefined while none has. */
  end: { readonly frame: Frame; readonly head: readonly number[] } | undefined;
}
