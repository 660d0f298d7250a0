import { type CriticizerError, isCriticizerError } from '@criticizer/core/ports';

/** Limits of the server for a user that count rows: a later attempt would be over them too. */
const rowLimits: ReadonlySet<unknown> = new Set(['maxresults', 'maxscanrows']);

/** True where the server refused a command for the number of its rows. */
export function isOverRowLimit(error: unknown): boolean {
  return isServerLimit(error) && rowLimits.has(error.details['limit']);
}

/** How many rows a command may ask for, learned from what the server refuses. */
export interface PageSize {
  /** Rows to ask for now. */
  readonly current: number;
  /** Shrinks after a refusal of `requested` rows. False for other errors, and for one row. */
  shrink(error: unknown, requested: number): boolean;
  /** Counts a page that the server answered. After a few of them the page grows again, up to `max`. */
  answered(): void;
}

/** Answered pages before a shrunken one is doubled: a refusal costs one command in nine at most. */
const pagesBeforeGrowth = 8;

/** Starts at `max` rows. */
export function createPageSize(max: number): PageSize {
  let current = max;
  let answered = 0;
  return {
    get current() {
      return current;
    },
    shrink(error, requested) {
      if (!isServerLimit(error) || requested <= 1) return false;
      const { limit, over } = error.details;
      const half = Math.floor(requested / 2);
      // MaxResults says how many rows it lets pass; of the other limits nobody knows what a row costs.
      current = limit === 'maxresults' && typeof over === 'number' ? Math.max(1, Math.min(half, over)) : half;
      answered = 0;
      return true;
    },
    answered() {
      answered += 1;
      if (answered < pagesBeforeGrowth) return;
      answered = 0;
      current = Math.min(max, current * 2);
    },
  };
}

/**
 * Lists at most `size.current` rows, fewer where the server refuses so many; `onShrunk` receives each
 * refusal. Rejects with what `list` rejects with.
 */
export async function listWithinLimit<T>(
  size: PageSize,
  list: (max: number) => Promise<T>,
  onShrunk?: (error: unknown) => void,
): Promise<T> {
  for (;;) {
    const requested = size.current;
    try {
      const listed = await list(requested);
      size.answered();
      return listed;
    } catch (error) {
      if (!size.shrink(error, requested)) throw error;
      onShrunk?.(error);
    }
  }
}

function isServerLimit(error: unknown): error is CriticizerError {
  return isCriticizerError(error) && error.code === 'P4_SERVER_LIMIT';
}
