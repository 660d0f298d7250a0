import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildChangelistId, parseChangelistId } from './changelist-id.js';

describe('changelist ids', () => {
  it('INT-2: server and number come back from the id, whatever they are', () => {
    const serverId = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,62}$/);
    fc.assert(
      fc.property(serverId, fc.integer({ min: 1, max: 2_147_483_647 }), (server, number) => {
        const ref = { serverId: server, number };
        expect(parseChangelistId(buildChangelistId(ref))).toEqual(ref);
      }),
    );
    expect(buildChangelistId({ serverId: 'main', number: 7 })).toBe('main/7');
  });

  it.each([
    '',
    'main',
    'main/',
    '/7',
    'main/07',
    'main/0',
    'main/7/8',
    'Main/7',
    'main/7\n',
    'main/2147483648',
    'mail:1',
  ])('%j is none', (id) => {
    expect(parseChangelistId(id)).toBeNull();
  });
});
