import { userInfo } from 'node:os';
import { createMemoryStores, type Stores } from '@criticizer/core';
import { describe, expect, it, vi } from 'vitest';
import { readActor } from './command-line.js';
import { openOperator } from './operate.js';

vi.mock('node:os', async (load) => ({ ...(await load<typeof import('node:os')>()), userInfo: vi.fn() }));

describe('who works at the terminal', () => {
  it('OPS-1: a user without a name, as in a container, is named by its number', () => {
    vi.mocked(userInfo).mockImplementation(() => {
      throw new Error('uv_os_get_passwd returned ENOENT');
    });
    expect(readActor({}).id).toBe(`uid-${process.getuid?.() ?? 'unknown'}`);
    expect(readActor({ actor: 'ada' })).toEqual({ type: 'admin_user', id: 'ada' });
  });
});

describe('an operator at the terminal', () => {
  it('AUD-3: an event that cannot be stored leaves its fingerprint on standard error', async () => {
    const stores = createMemoryStores();
    const audit: typeof stores.audit = { ...stores.audit, record: () => Promise.reject(new Error('disk full')) };
    let errors = '';
    const warn = (text: string): void => {
      errors += text;
    };
    const operator = openOperator({ ...stores, audit } as Stores<unknown>, { env: {}, warn });
    const request = { changelistId: 'main/7', held: true, actor: readActor({ actor: 'ada' }), reason: 'INC-7' };
    expect(await operator.setHold(request)).toEqual({ outcome: 'set', audit: 'degraded' });
    expect(JSON.parse(errors)).toMatchObject({
      ...{ action: 'change.hold', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });
});
