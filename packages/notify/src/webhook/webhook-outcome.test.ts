import { describe, expect, it } from 'vitest';
import { readStatus } from './webhook-outcome.js';

const describeStatus = (status: number, headers: Readonly<Record<string, string>> = {}): string => {
  const outcome = readStatus({ status, headers }, 'key', 0);
  if (outcome.kind === 'accepted') return `accepted ${outcome.id}`;
  const isFinal = outcome.kind === 'rejected' && outcome.permanent ? ' for good' : '';
  return `${outcome.kind} ${outcome.failure.scope}${isFinal}`;
};

describe('the answers of a webhook', () => {
  it.each([
    [[200, 201, 202, 204, 299, 409], 'accepted key'],
    [[301, 302, 307, 308, 401, 403, 404, 405, 410, 415], 'rejected recipient for good'],
    [[400, 413, 422, 418], 'rejected message for good'],
    [[425, 429, 502, 504], 'rejected transport'],
    [[408, 500, 501, 503, 529, 100], 'ambiguous transport'],
  ])('NOT-9: %s is %s', (statuses, meaning) => {
    expect(statuses.map((status) => describeStatus(status))).toEqual(statuses.map(() => meaning));
  });

  it('R9: a limit lasts as long as the endpoint asks, else half a minute', () => {
    const wait = (headers: Readonly<Record<string, string>>) => readStatus({ status: 429, headers }, 'key', 0);
    expect(wait({ 'retry-after': '120' })).toMatchObject({ retryAfterMs: 120_000 });
    expect(wait({})).toMatchObject({ retryAfterMs: 30_000 });
    expect(wait({ 'retry-after': '0' })).toMatchObject({ retryAfterMs: 1 });
  });
});
