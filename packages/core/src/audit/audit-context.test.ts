import { describe, expect, it } from 'vitest';
import { createAuditContext } from './audit-context.js';
import { readAuditRequest } from './read-audit-request.js';

const entry = { action: 'admin.user.update', resultStatus: 'success' } as const;
const traceId = 'a'.repeat(32);
const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`;

describe('the context of a request', () => {
  it('AUD-2: requests at the same time fill entries each from its own context', async () => {
    const context = createAuditContext();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const handle = (requestId: string): Promise<unknown> => {
      const request = Object.freeze({ requestId, tenantId: undefined });
      return context.run(request, async () => {
        await gate;
        context.add({ actorType: 'admin_user', actorId: `actor of ${requestId}` });
        return context.fill({ ...entry, tenantId: 't', requestId: undefined });
      });
    };
    const handled = Promise.all([handle('one'), handle('two')]);
    open();
    expect(await handled).toEqual(
      ['one', 'two'].map((requestId) => ({
        ...entry,
        tenantId: 't',
        requestId,
        actorType: 'admin_user',
        actorId: `actor of ${requestId}`,
      })),
    );
    expect(context.fill({ ...entry, actorType: 'system' })).toEqual({ ...entry, actorType: 'system' });
  });

  it('AUD-2: an entry’s own members stand before those of the context', () => {
    const context = createAuditContext();
    const filled = context.run({ actorType: 'admin_user', actorId: 'ada', sourceIp: '192.0.2.1' }, () =>
      context.fill({ ...entry, actorType: 'system', actorId: 'job' }),
    );
    expect(filled).toEqual({ ...entry, actorType: 'system', actorId: 'job', sourceIp: '192.0.2.1' });
  });

  it('AUD-2: a caller’s mistake is a TypeError', () => {
    const context = createAuditContext();
    expect(() => context.add({ actorId: 'ada' })).toThrow('call it inside run');
    expect(() => context.run({ user: 'ada' } as never, () => 1)).toThrow(TypeError);
    expect(() => readAuditRequest({ headers: {} }, { trustForwardedFor: 'yes' } as never)).toThrow(TypeError);
  });

  it('AUD-2: a request gives its socket’s address unless a proxy is trusted, and only a valid trace', () => {
    const request = {
      headers: {
        'x-forwarded-for': '203.0.113.9, 10.0.0.1',
        'user-agent': 'browser',
        'x-request-id': ['r1', 'r2'],
        traceparent,
      },
      socket: { remoteAddress: '10.0.0.1' },
    };
    const facts = { userAgent: 'browser', requestId: 'r1', traceId };
    expect(readAuditRequest(request)).toEqual({ ...facts, sourceIp: '10.0.0.1' });
    expect(readAuditRequest(request, { trustForwardedFor: true })).toEqual({
      ...facts,
      sourceIp: '203.0.113.9, 10.0.0.1',
    });
    expect(readAuditRequest({ headers: { traceparent: 'x' } })).toEqual({});
  });
});
