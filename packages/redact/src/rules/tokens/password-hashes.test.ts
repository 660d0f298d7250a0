import { describe, expect, it } from 'vitest';
import { BASE64, HEX, madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const padded = (length: number): string => madeUp(length, BASE64).padEnd(Math.ceil(length / 4) * 4, '=');

describe('hashes of passwords', () => {
  it("RED-3: Cisco's hashes of types 8 and 9; the ages in a shadow file stay", () => {
    for (const type of [8, 9])
      expect(notHidden([['a.txt', (v) => `hash ${v}`]], `$${type}$${madeUp(14)}$${madeUp(43)}`)).toEqual([]);
    expect(notKept([['shadow', 'daemon:*:17431:0:99999:7:::']])).toEqual([]);
  });

  it('RED-3: hashes that name their kind, whole', () => {
    const hashes = [
      `$2b$12$${madeUp(53)}`,
      `$apr1$${madeUp(8)}$${madeUp(22)}`,
      `$7$101$${padded(16)}$${padded(86)}`,
      `$P$B${madeUp(30)}`,
      `$S$D${madeUp(51)}`,
      `$pbkdf2-sha256$29000$${madeUp(22)}$${madeUp(43)}`,
      `$scrypt$ln=16,r=8,p=1$${madeUp(22)}$${madeUp(43)}`,
      `pbkdf2:sha256:600000$${madeUp(16)}$${madeUp(64, HEX)}`,
      `scrypt:32768:8:1$${madeUp(16)}$${madeUp(128, HEX)}`,
      `pbkdf2_sha256$600000$${madeUp(22)}$${padded(43)}`,
      `SCRAM-SHA-256$4096:${padded(22)}$${padded(43)}:${padded(43)}`,
      `{SHA}${padded(27)}`,
      `{SSHA256}${padded(54)}`,
      `md5${madeUp(32, HEX)}`,
    ];
    for (const hash of hashes) expect(notHidden([['users.txt', (v) => `"ann" "${v}"`]], hash)).toEqual([]);
  });

  it('RED-3: replies of Kerberos, as crackers take them', () => {
    const sum = madeUp(32, HEX);
    for (const write of [(v: string) => `ann:${v}`, (v: string) => `hash = "${v}"`])
      for (const value of [
        `$krb5asrep$23$ann@EXAMPLE.COM:${sum}$${madeUp(200, HEX)}`,
        `$krb5tgs$23$*svc$EXAMPLE.COM$http/a*$${sum}$${madeUp(300, HEX)}`,
      ])
        expect(notHidden([['a.txt', write]], value)).toEqual([]);
    expect(notKept([['a.md', 'Hashcat takes `$krb5tgs$23$*user$realm$spn*$checksum$edata2`.']])).toEqual([]);
  });

  it('RED-3: what Samba and Windows dump of their accounts; keys of principals as klist prints them', () => {
    const nt = madeUp(32, HEX.toUpperCase());
    const places = [
      ['smbpasswd', (v: string) => `ann:1001:${'X'.repeat(32)}:${v}:[U          ]:LCT-5F744A1B:`],
      ['dump.txt', (v: string) => `ann:500:${madeUp(32, HEX, 5)}:${v}:::`],
    ] as const;
    expect(notHidden(places, nt)).toEqual([]);
    for (const cipher of ['aes256-cts-hmac-sha1-96', 'arcfour-hmac'])
      expect(notHidden([['keytab.txt', (v) => `   6 HTTP/a@EXAMPLE (${cipher})  (0x${v})`]], madeUp(64, HEX))).toEqual(
        [],
      );
  });

  it('RED-8: parts of paths in braces, and other values between dollars, stay', () => {
    expect(
      notKept([
        ['a.ts', 'get("/repos/{owner}/{repo}/commits/{sha}/check-runs-of-version-1")'],
        ['a.sh', 'echo "$p$q$s$tail_of_the_line_1"'],
        ['a.sql', "CREATE FUNCTION f() AS $s$ SELECT 'a', 1, 2, 3 $s$ LANGUAGE sql"],
        ['a.md', 'Kinds such as scrypt: 32768 rounds, pbkdf2:sha256 and {SHA} are known.'],
      ]),
    ).toEqual([]);
  });
});
