import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonValue } from '../../foundation/json.js';
import { claimedJob, enqueuedJob } from '../job-transitions.js';
import { firstClaimedJob } from './first-claim.js';

it('WQ-4: a first claim in one literal is what the transitions make of a new job', () => {
  const texts = fc.tuple(fc.string(), fc.string(), fc.string(), fc.string());
  fc.assert(
    fc.property(
      texts,
      fc.jsonValue() as fc.Arbitrary<JsonValue>,
      fc.integer(),
      fc.nat(),
      fc.nat(),
      (given, payload, priority, createdAt, since) => {
        const [id, kind, stage, idempotencyKey] = given;
        const lists = {
          id: [id],
          kind: [kind],
          payload: [payload],
          stage: [stage],
          priority: [priority],
          createdAt: [createdAt],
          idempotencyKey: [idempotencyKey],
        };
        const born = new Date(createdAt);
        const queued = enqueuedJob({ kind, payload, stage, priority, idempotencyKey }, id, born, born);
        const now = createdAt + since;
        expect(firstClaimedJob(lists, 0, now, 'owner', now + 30_000)).toEqual(
          claimedJob(queued, new Date(now), 'owner', 30_000),
        );
      },
    ),
  );
});
