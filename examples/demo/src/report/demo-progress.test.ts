import type { JobEvent } from '@criticizer/core';
import { describe, expect, it } from 'vitest';
import { createProgress } from './demo-progress.js';

/** What the demo says at the end of a notify stage that reported these mails. */
function saidOf(mails: number, sent: number): string {
  const lines: string[] = [];
  const progress = createProgress({ write: (text) => lines.push(text) });
  const stage = { jobId: 'j', kind: 'review', stage: 'notify', attempt: 1 } as const;
  const events: JobEvent[] = [
    { ...stage, type: 'stage.started' },
    { ...stage, type: 'stage.reported', facts: { mails, sent } },
    { ...stage, type: 'stage.ended', outcome: 'done', ms: 100 },
  ];
  for (const event of events) progress.onEvent(event);
  return lines.at(-1)?.trimEnd() ?? '';
}

describe('progress of the demo', () => {
  it('NOT-10: calls no mail undelivered that is on its way', () => {
    expect(saidOf(2, 2)).toBe('  ✓  notify  2 of 2 mails delivered  0.1 s');
    expect(saidOf(2, 1)).toBe('  ✓  notify  1 of 2 mails delivered, 1 on the way  0.1 s');
  });
});
