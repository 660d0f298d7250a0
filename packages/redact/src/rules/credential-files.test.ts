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

  it("RED-3: Cisco's hashes of types 8 and 9; the ages in a shadow file stay", () => {
    for (const type of [8, 9]) expect(notHidden([['a.txt', (v) => `hash ${v}`]], `$${type}$${madeUp(14)}$${madeUp(43)}`)).toEqual([]);
    expect(notKept([['shadow', 'daemon:*:17431:0:99999:7:::']])).toEqual([]);
  });

  it('RED-3: directives of servers, switches and installers', () => {
    const places = [
      ['haproxy.cfg', (v: string) => `  stats auth admin:${v}`],
      ['snmpd.conf', (v: string) => `createUser ann SHA ${v} AES`],
      ['router.cfg', (v: string) => `enable secret 0 ${v}`],
      ['router.cfg', (v: string) => `username ann password 7 ${v}`],
      ['redis.conf', (v: string) => `requirepass ${v}`],
      ['ks.cfg', (v: string) => `rootpw --plaintext ${v}`],
      ['snmpd.conf', (v: string) => `createUser ann SHA other-word AES ${v}`],
      ['snmpd.conf', (v: string) => `rocommunity ${v} 10.0.0.0/24`],
      ['haproxy.cfg', (v: string) => `  user ann insecure-password ${v}`],
      ['router.cfg', (v: string) => `tacacs-server host 10.0.0.1 key 7 ${v}`],
      ['router.cfg', (v: string) => `crypto isakmp key ${v} address 10.0.0.1`],
      ['router.cfg', (v: string) => ` ip ospf message-digest-key 1 md5 ${v}`],
      ['router.cfg', (v: string) => ` ip ospf authentication-key 7 ${v}`],
      ['router.cfg', (v: string) => ` standby 1 authentication md5 key-string ${v}`],
      ['router.cfg', (v: string) => ` neighbor 10.0.0.1 password ${v}`],
      ['squid.conf', (v: string) => `cache_peer proxy parent 3128 0 no-query login=ann:${v}`],
      ['proftpd.conf', (v: string) => `SQLConnectInfo main@db ann ${v}`],
      ['users.acl', (v: string) => `user ann on >${v} ~* +@all`],
      ['proxychains.conf', (v: string) => `socks5 10.0.0.1 1080 ann ${v}`],
      ['vm.args', (v: string) => `-setcookie ${v}`],
      ['a.sh', (v: string) => `echo "mysql-server mysql-server/root_password password ${v}" | debconf-set-selections`],
      ['mysqld.log', (v: string) => `A temporary password is generated for root@localhost: ${v}`],
      ['jenkins.log', (v: string) => `Please use the following password to proceed to installation:\n\n${v}\n`],
      ['preseed.cfg', (v: string) => `d-i passwd/root-password password ${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    const letters = madeUp(9, 'ghjkmnpqrtvwxyz');
    for (const rest of ['RW', 'RO 99'])
      expect(notHidden([['router.cfg', (v) => `snmp-server community ${v} ${rest}`]], letters)).toEqual([]);
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
        ['a.md', 'Turn it on > settings, and use key 7 of them.'],
        ['a.md', 'A temporary password is generated for each user: see the log.'],
        ['router.cfg', ' neighbor 10.0.0.1 remote-as 65001'],
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
