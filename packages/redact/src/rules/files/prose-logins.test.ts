import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const V = madeUp(12);

describe('logins as people tell them', () => {
  it('RED-3: the password behind the slash', () => {
    const places = [
      ['a.md', (v: string) => `Credentials: ann / ${v}\n`],
      ['a.md', (v: string) => `Credentials: \`ann\` / \`${v}\`\n`],
      ['a.txt', (v: string) => `Login: ann@example.com/${v}`],
      ['a.txt', (v: string) => `Demo server (login/password: ann/${v}) is up.`],
      ['a.txt', (v: string) => `id/pw : admin / ${v}`],
      ['a.md', (v: string) => `The default credentials are \`admin\` / \`${v}\`.`],
      ['a.md', (v: string) => `Log in as ann:${v}\n`],
      ['a.md', (v: string) => `Default credentials are \`admin\` and \`${v}\`.`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden([['a.txt', (v) => `user/pass: ann/${v}`]], 'meadow7')).toEqual([]);
  });

  it('RED-8: paths, words and references stay', () => {
    expect(
      notKept([
        ['a.md', 'Login: see docs/login2'],
        ['a.md', 'Credentials: user/password'],
        ['a.md', 'log in with registry:v1.2.3-beta4'],
        ['a.md', 'credentials: etc/app/secret1.json'],
        ['a.ts', `const login: Pair = 'ann/${V}';`],
        ['a.md', 'Username/password: <user>/<password1>'],
      ]),
    ).toEqual([]);
  });
});
