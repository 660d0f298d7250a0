/** How a name leads to its value. */
export type LinkKind =
  /** `=`, `:=`, `?=`, `=>` and their kin, a default, an initializer, a typed declaration. */
  | 'assign'
  | 'colon'
  /** A long option and its argument. */
  | 'option'
  /** A comparison, an argument, a fallback: a plain word there is a label or a mode. */
  | 'compare'
  | 'call'
  | 'comma'
  | 'fallback'
  /** The text of an XML element. */
  | 'element'
  /** A name and, next to it, its `value`. */
  | 'pair'
  /** Nothing but spaces, or `is`. */
  | 'space'
  | 'prose';

/** Where a link leads. One object is reused: read it before the next call. */
export interface Link {
  kind: LinkKind;
  valueAt: number;
  /** The name stands in quotes of its own. */
  keyQuoted: boolean;
}

/** The one object that `linkTo` gives; `keyQuoted` is set while the name's end is read. */
export const link: Link = { kind: 'assign', valueAt: 0, keyQuoted: false };

/** Writes where a link leads into the reused object; `keyQuoted` stays as it was set. */
export function linkTo(kind: LinkKind, valueAt: number): Link {
  link.kind = kind;
  link.valueAt = valueAt;
  return link;
}
