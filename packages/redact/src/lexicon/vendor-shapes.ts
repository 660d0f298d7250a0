import {
  ALNUM,
  BANG,
  BASE64,
  BASE64URL,
  COLON,
  DIGIT,
  HEX,
  HEX_DASH,
  LOWER,
  PERCENT,
  TOKEN68,
  UPPER,
} from './charset.js';
import { COMMON_HEADS } from './common-heads.js';
import { CHECKED_HEADS, type HeadRow, UNIQUE_HEADS } from './unique-heads.js';

/** A vendor's token by its literal head: what may follow, at least how much, and how sure the head alone makes it. */
export interface VendorShape {
  rule: string;
  head: string;
  mask: number;
  min: number;
  /** A longer run is something else. Formats grow, so the limit is generous where the head is unmistakable. */
  max: number;
  /** `unique`: nothing else starts so. `common`: the head is a word or very short, the rest must look random. */
  headIs: 'unique' | 'common';
  /** The vendor ends the token with a CRC-32 in base 62. */
  checksum: boolean;
}

const LOWER_ALNUM = LOWER | DIGIT;
const UPPER_ALNUM = UPPER | DIGIT;
const MASKS: Readonly<Record<string, number>> = {
  alnum: ALNUM,
  lower: LOWER_ALNUM,
  upper: UPPER_ALNUM,
  hex: HEX,
  hexdash: HEX_DASH,
  url: BASE64URL,
  b64: BASE64,
  any: TOKEN68,
  percent: TOKEN68 | PERCENT,
  salesforce: TOKEN68 | BANG,
  colon: TOKEN68 | COLON,
};

/** Every vendor shape known by its head. */
export function vendorShapes(): VendorShape[] {
  return [
    ...CHECKED_HEADS.flatMap((row) => expand(row, 'unique', true)),
    ...UNIQUE_HEADS.flatMap((row) => expand(row, 'unique', false)),
    ...COMMON_HEADS.flatMap((row) => expand(row, 'common', false)),
  ];
}

function expand(
  [rule, alphabet, min, max, heads]: HeadRow,
  headIs: VendorShape['headIs'],
  checksum: boolean,
): VendorShape[] {
  const mask = MASKS[alphabet];
  if (mask === undefined) throw new TypeError(`vendor shape ${rule}: no alphabet ${alphabet}`);
  return heads.split(' ').map((head) => ({ rule, head, mask, min, max, headIs, checksum }));
}
