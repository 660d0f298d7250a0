// #region kind
import { CriticizerError, type JobKind } from '@criticizer/core';
import { z } from 'zod';

const payload = z.strictObject({ user: z.string(), days: z.number().int().min(1) });

/** A job of two stages: collect, then publish. */
export function createReportKind(parts: {
  collect(user: string, days: number): Promise<string>;
  publish(reportId: string): Promise<void>;
}): JobKind<z.infer<typeof payload>> {
  return {
    kind: 'weekly-report',
    payload,
    stages: [
      {
        name: 'collect',
        async run({ payload: { user, days } }) {
          const reportId = await parts.collect(user, days);
          return { kind: 'next', effects: { outputs: { 'collect.report': reportId } } };
        },
      },
      {
        name: 'publish',
        async run({ outputs }) {
          const reportId = outputs()['collect.report'];
          if (reportId === undefined) throw new CriticizerError('REPORT_MISSING', 'collect left no report');
          // May run again after a crash: publishing the same report twice must be harmless.
          await parts.publish(reportId);
          return { kind: 'done', result: { published: true } };
        },
      },
    ],
  };
}
// #endregion
