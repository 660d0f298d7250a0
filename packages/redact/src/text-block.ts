/** Characters read at once: few enough to stay in the nearest cache. */
const BLOCK = 8192;
/** What stands before a block is read with it: as far back as a run of characters is looked for. */
export const BEFORE = 24;
/** Up to here characters are copied one by one: a call costs more. */
const WORTH_A_CALL = 24;

/**
 * A stretch of a text as bytes, which are read several times as fast as the characters of a string. A byte is the low half of a character's code:
 * it tells what ASCII may stand there, and the text has the last word.
 */
export class TextBlock {
  /** The block's first character is at BEFORE. What is not of the text is zero. */
  readonly bytes = Buffer.alloc(BEFORE + BLOCK);
  /** The same bytes, two at once. */
  readonly words = new Uint16Array(this.bytes.buffer, this.bytes.byteOffset, (BEFORE + BLOCK) / 2);
  /** Room for what is found in a block. */
  readonly finds = new Int32Array((5 * BLOCK) / 4 + 1);

  /** Reads the block that starts at `from`; returns where the next one does. */
  read(text: string, from: number): number {
    const { bytes } = this;
    const first = Math.max(0, from - BEFORE);
    const to = Math.min(text.length, from + BLOCK);
    const at = BEFORE - (from - first);
    if (to - first <= WORTH_A_CALL) for (let i = first; i < to; i += 1) bytes[at + i - first] = text.charCodeAt(i);
    else bytes.write(to - first === text.length ? text : text.slice(first, to), at, to - first, 'latin1');
    return to;
  }

  /** Forgets what was read: a block is kept for the next text, and no secret stays in it. */
  wipe(): void {
    this.bytes.fill(0);
  }
}
