// What a built-in reviewer reads of a request: its fenced blocks, and the numbered lines of its diffs.

/** A fenced block of the user text. */
export interface PromptBlock {
  kind: string;
  lines: readonly string[];
}

/** A line of the new side that a prompt shows as part of a hunk. */
export interface ShownLine {
  file: string;
  line: number;
  /** Without number and mark. */
  text: string;
  isAdded: boolean;
}

/** The blocks of a prompt, in order; none where the text has no fence. */
export function readBlocks(prompt: string): readonly PromptBlock[] {
  const fence = /"<<<([0-9a-f]{32}) kind"/.exec(prompt)?.[1];
  if (fence === undefined) return [];
  const blocks: { kind: string; lines: string[] }[] = [];
  let open: { kind: string; lines: string[] } | null = null;
  for (const line of prompt.split('\n')) {
    if (line === `${fence}>>>`) open = null;
    else if (line.startsWith(`<<<${fence} `)) {
      open = { kind: line.slice(`<<<${fence} `.length), lines: [] };
      blocks.push(open);
    } else open?.lines.push(line);
  }
  return blocks;
}

/** Lines of the new side in the hunks of a prompt. */
export function readShownLines(blocks: readonly PromptBlock[]): readonly ShownLine[] {
  return blocks
    .filter(({ kind }) => kind === 'diff')
    .flatMap(({ lines }) => {
      const file = lines.find((line) => line.startsWith('file: '))?.slice('file: '.length) ?? '';
      return lines.flatMap((line): ShownLine[] => {
        const [, number, mark, text = ''] = /^ *(\d+) ([ +])(.*)$/.exec(line) ?? [];
        return number === undefined ? [] : [{ file, line: Number(number), text, isAdded: mark === '+' }];
      });
    });
}

/** Whether the blocks hold this text in a line that is not of the old side. */
export function holdsText(blocks: readonly PromptBlock[], text: string): boolean {
  return blocks.some(({ kind, lines }) =>
    lines.some((line) => line.includes(text) && !(kind === 'diff' && /^ {6} -/.test(line))),
  );
}
