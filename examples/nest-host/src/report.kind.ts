import { once } from 'node:events';
import type { JobKind } from '@criticizer/core/queue';
import { z } from 'zod';

const payload = z.strictObject({ month: z.string() });

/** The job of this example: a report of one month. `isSlow`: it ends only when the worker aborts it. */
export function createReportKind(options: {
  isSlow: boolean;
  onRun(month: string): void;
}): JobKind<z.infer<typeof payload>> {
  return {
    kind: 'report',
    payload,
    stages: [
      {
        name: 'write',
        async run({ payload: { month }, signal }) {
          options.onRun(month);
          if (options.isSlow && !signal.aborted) await once(signal, 'abort');
          signal.throwIfAborted();
          return { kind: 'done', result: { month } };
        },
      },
    ],
  };
}
