import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { newAuditEvent } from '../../testing/stores/sample-rows.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import type { AuditSink } from '../sinks/audit-sink.js';
import { createAuditDelivery } from './audit-delivery.js';
import { findOverdueAuditLetters } from './overdue-letters.js';
import { rootCauseOf } from './root-cause.js';

describe('audit dead letters', () => {
  it('AUD-16: the root cause follows from the code', () => {
    const causes = {
      auth: ['AUTH_DENIED', 'SECRET_MISSING', 'SECRET_REJECTED'],
      schema: ['HTTP_REJECTED', 'HTTP_TOO_LARGE', 'AUDIT_EVENT_REJECTED'],
      rate_limit: ['RATE_LIMITED'],
      destination_down: ['NETWORK_REFUSED', 'NETWORK_TIMEOUT', 'UPSTREAM_ERROR', 'HTTP_NOT_FOUND'],
      unknown: ['UNEXPECTED', 'WORKER_LOST', 'A_CODE_OF_MY_SINK', 'toString', null],
    };
    for (const [cause, codes] of Object.entries(causes))
      expect(codes.map(rootCauseOf), cause).toEqual(codes.map(() => cause));
  });

  it('AUD-16: letters that are open for more than 5 minutes are found, by destination and cause', async () => {
    const clock = createManualClock();
    const stores = createMemoryStores({ clock });
    const answering = (id: string, code: string): AuditSink => ({
      ...{ contract: 1, id },
      send: async () => ({ kind: 'dead-letter', failure: { code, message: 'no', about: 'event' } }),
    });
    const sinks = [answering('siem', 'HTTP_REJECTED'), answering('lake', 'RATE_LIMITED')];
    const delivery = createAuditDelivery({ store: stores.audit, sinks, clock });
    const overdue = () => findOverdueAuditLetters({ store: stores.audit, now: () => stores.now() });
    await stores.audit.record(newAuditEvent(), ['siem', 'lake']);
    await delivery.runDue();
    await clock.advance(299_999);
    expect(await overdue()).toEqual([]);
    await stores.audit.record(newAuditEvent(), ['siem']);
    await delivery.runDue();
    await clock.advance(2);
    const one = (destination: string, cause: string) => ({
      ...{ destination, count: 1, oldestMs: 300_001 },
      causes: { [cause]: 1 },
    });
    expect(await overdue()).toEqual([one('lake', 'rate_limit'), one('siem', 'schema')]);
    for (const { id } of await stores.audit.listDeadLetters({ destination: 'lake' }))
      await stores.audit.requeue(id, { actor: { type: 'admin_user', id: 'op' }, note: 'quota raised' });
    expect((await overdue()).map(({ destination }) => destination)).toEqual(['siem']);
    await expect(findOverdueAuditLetters({ store: stores.audit, now: 1 as never })).rejects.toThrow(TypeError);
  });
});
