import { describe, expect, it } from 'vitest';
import { readPath } from '../../grammar/path-kind.js';
import { madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';

const V = madeUp(16);

describe('files of accounts', () => {
  it('RED-3: the column that the name of a file says holds passwords', () => {
    const places = [
      ['etc/ppp/chap-secrets', (v: string) => `# client server secret addresses\nann   *   "${v}"   *\n`],
      [
        '//depot/home/.davfs2/secrets#3',
        (v: string) => `https://dav.example.com/files ann ${v}\n/mnt/dav "ann b" "${v}"\n`,
      ],
      ['home/ann/secrets', (v: string) => `https://dav.example.com/files ann "${v}"\n`],
      ['.passwd-s3fs', (v: string) => `ACCESSKEY:${v}\n`],
      ['config/master.key', (v: string) => v],
      ['config/credentials/staging.key', (v: string) => `${v}\n`],
      ['sasl_passwd', (v: string) => `example.com ann@example.com:${v}\n`],
      ['exim4/passwd.client', (v: string) => `*.example.com:ann:${v}\n`],
      ['userlist.txt', (v: string) => `"app" "${v}"\r\n"stats" "${v}"\r\n`],
      ['etc/realm.properties', (v: string) => `admin: ${v},server-administrator\n`],
      ['users.properties', (v: string) => `ann=${v}\n`],
      ['vpn/auth.txt', (v: string) => `ann\n${v}\n`],
      ['secrets/db_password.txt', (v: string) => `${v}\n`],
      ['.vault_pass', (v: string) => v],
      ['data/creds.txt', (v: string) => `ann@example.com:${v}\nbob@example.com:${v}\n`],
      ['vpn/office.ovpn.auth', (v: string) => `ann\n${v}\n`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden([['.vault_pass', (v) => v]], `${V}?=;x`)).toEqual([]);
  });

  it('RED-3: in a diff, too', () => {
    const text = `@@ -1 +1 @@\n-ann * "${V}" *\n+ann * "${V}x" *`;
    expect(redactLine(text, 'chap-secrets', true).text).not.toContain(V.slice(0, 8));
  });

  it('RED-8: other files, other columns, references and whole texts stay', () => {
    expect(readPath(undefined).layout).toBeUndefined();
    for (const path of [
      'a.ts',
      'token.ts',
      'master.key',
      'auth/login.go',
      'secrets.md',
      'users.json',
      'keys.txt',
      '.pgpass',
      'authors.txt',
      'password/index.html',
    ])
      expect(readPath(path).layout).toBeUndefined();
    expect(
      notKept([
        ['chap-secrets', `# client server secret4you addresses\nann * \${SECRET} *\n`],
        ['userlist.txt', `"app" "\${APP_PASSWORD}"`],
        ['users.properties', `# name=password1\nann=\${ANN_PASSWORD}`],
        ['auth.txt', 'How to log in:\n1. Ask Ann.\n2. Wait.\n'],
        ['auth.txt', 'ann\nwaits\n'],
        ['token', '{"name": "a1"}'],
        ['secrets/api_key.txt', 'api_key'],
      ]),
    ).toEqual([]);
  });
});
