/** One value that waits for its batch, and what ends it early. */
interface Waiting<Item, Answer> {
  item: Item;
  bytes: number;
  signal: AbortSignal;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export interface SendBatcherOptions<Item, Answer> {
  maxItems: number;
  /** Bytes of one batch, at most; an item that is larger goes alone. */
  maxBytes: number;
  /** Sends a batch; gives one answer an item, in their order. `signal` aborts once every item's has. */
  send(items: readonly Item[], signal: AbortSignal): Promise<readonly Answer[]>;
}

// long: the moves of a value from its wait to its answer
/**
 * Joins what is sent in one turn of the event loop into batches, and gives each item its own answer.
 * What `send` throws is the answer of every item of that batch alone.
 */
export function createSendBatcher<Item, Answer>(options: SendBatcherOptions<Item, Answer>) {
  const { maxItems, maxBytes } = options;
  let waiting: Waiting<Item, Answer>[] = [];
  let isScheduled = false;

  function takeBatch(): Waiting<Item, Answer>[] {
    let bytes = 0;
    let count = 0;
    for (const one of waiting) {
      bytes += one.bytes;
      if (count > 0 && (count >= maxItems || bytes > maxBytes)) break;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function sendBatch(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    const stopping = new AbortController();
    let left = batch.length;
    const onAbort = (event: Event): void => {
      left -= 1;
      if (left === 0) stopping.abort((event.target as AbortSignal).reason);
    };
    for (const { signal } of batch) signal.addEventListener('abort', onAbort, { once: true });
    try {
      const answers = await options.send(
        batch.map(({ item }) => item),
        stopping.signal,
      );
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i] as Answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const { signal } of batch) signal.removeEventListener('abort', onAbort);
    }
  }

  function flush(): void {
    isScheduled = false;
    for (const { signal, reject } of waiting) if (signal.aborted) reject(signal.reason);
    waiting = waiting.filter(({ signal }) => !signal.aborted);
    while (waiting.length > 0) void sendBatch(takeBatch());
  }

  return {
    /** `bytes` is what the item adds to the request. */
    add(item: Item, bytes: number, signal: AbortSignal): Promise<Answer> {
      return new Promise((resolve, reject) => {
        waiting.push({ item, bytes, signal, resolve, reject });
        if (isScheduled) return;
        isScheduled = true;
        setImmediate(flush);
      });
    },
  };
}

/** Sends a batch that is too large as two, one after the other; gives one answer an item, in their order. */
export async function sendInHalves<Item, Answer>(
  items: readonly Item[],
  send: (half: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const half = Math.ceil(items.length / 2);
  const first = await send(items.slice(0, half));
  return [...first, ...(await send(items.slice(half)))];
}
