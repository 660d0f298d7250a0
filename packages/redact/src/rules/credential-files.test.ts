import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../testing/redact-line.js';

const V = madeUp(16);

describe('credential files', () => {
  it('RED-3: columns of .pgpass, relays of Postfix, hashes of passwords', () => {
    const places = [
      ['.pgpass', (v: string) => `db.internal:5432:main:app:${v}`],
      ['sasl_passwd', (v: string) => `[smtp.example.com]:587 ann@example.com:${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden([['shadow', (v) => `root:${v}:19000:0:99999:7:::`]], `$6$${madeUp(8)}$${madeUp(86)}`)).toEqual([]);
  });

  it('RED-3: directives of servers, switches and installers', () => {
    const places = [
      ['haproxy.cfg', (v: string) => `  stats auth admin:${v}`],
      ['snmpd.conf', (v: string) => `createUser ann SHA ${v} AES`],
      ['router.cfg', (v: string) => `enable secret 0 ${v}`],
      ['router.cfg', (v: string) => `username ann password 7 ${v}`],
      ['redis.conf', (v: string) => `requirepass ${v}`],
      ['ks.cfg', (v: string) => `rootpw --plaintext ${v}`],
      ['preseed.cfg', (v: string) => `d-i passwd/root-password password ${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: lists of logins and recorded sessions', () => {
    const places = [
      ['user-data.yml', (v: string) => `chpasswd:\n  list: |\n    root:${v}\n`],
      ['client.ovpn', (v: string) => `<auth-user-pass>\nann\n${v}\n</auth-user-pass>`],
      ['session.log', (v: string) => `USER ann\nPASS ${v}\n`],
      ['session.log', (v: string) => `a1 LOGIN ann ${v}\n`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: tokens in the files of package managers and command-line tools, words included', () => {
    const places = [
      ['.npmrc', (v: string) => `//npm.example.com/:_authToken=${v}`],
      ['.npmrc', (v: string) => `//npm.example.com/:_password="${v}"`],
      ['.gem/credentials', (v: string) => `:rubygems_api_key: ${v}`],
      ['.cargo/credentials.toml', (v: string) => `[registry]\ntoken = "${v}"`],
      ['.cargo/credentials.toml', (v: string) => `[registries.acme]\ntoken = "${v}"`],
      ['.terraformrc', (v: string) => `credentials "app.example.com" {\n  token = "${v}"\n}`],
      ['.kube/config', (v: string) => `users:\n- name: a\n  user:\n    token: ${v}`],
      ['.msmtprc', (v: string) => `host smtp.example\nuser ann\npassword ${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden(places, `${madeUp(4, 'lnrst')}${madeUp(5, 'aeiou', 3)}`)).toEqual([]);
  });

  it('RED-8: what only begins so stays', () => {
    expect(
      notKept([
        ['a.sh', 'host:5432:main'],
        ['a.sh', 'echo "$1$2$3"'],
        ['a.md', 'You can enable secret scanning for it.'],
        ['a.md', 'The stats auth page shows them.'],
        ['a.log', 'PASS all 12 tests'],
        ['a.log', 'after a login the user sees it'],
        ['a.c', 'requirepass = 1;'],
        ['.npmrc', `//npm.example.com/:_authToken=\${NPM_TOKEN}`],
        ['a.toml', '[registry]\ndefault = "acme"'],
        ['a.yaml', `user:\n  token: \${{ secrets.USER_TOKEN }}`],
      ]),
    ).toEqual([]);
  });
});
