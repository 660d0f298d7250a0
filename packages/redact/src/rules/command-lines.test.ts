import { describe, expect, it } from 'vitest';
import { HEX, madeUp, redactLine } from '../testing/redact-line.js';

const V = madeUp(12);

describe('command lines', () => {
  it('RED-3: passwords of short flags go, the rest of the command stays', () => {
    const commands: readonly ((value: string) => string)[] = [
      (v) => `curl -s -u admin:${v} https://x.example`,
      (v) => `curl --user 'admin:${v}' https://x.example`,
      (v) => `mysql -uroot -p${v} main`,
      (v) => `sshpass -p ${v} ssh host`,
      (v) => `docker login -u svc -p ${v} registry.example`,
      (v) => `redis-cli -a ${v} ping`,
      (v) => `p4 -u svc -P ${v} info`,
      (v) => `openssl rsa -passin pass:${v} -in k.pem`,
    ];
    for (const write of commands) expect(redactLine(write(V), 'run.sh').text).toBe(write('[REDACTED:command-line:1]'));
  });

  it('RED-3: a key in the place of the user, as services document it', () => {
    for (const key of [madeUp(20), madeUp(32, HEX)])
      for (const write of [
        (v: string) => `curl -u ${v}: https://api.x.example/v2/users`,
        (v: string) => `curl -u "${v}:" https://api.x.example`,
        (v: string) => `curl --user ${v}:X -X GET https://api.x.example`,
      ])
        expect(redactLine(write(key), 'run.sh').text).toBe(write('[REDACTED:command-line:1]'));
    for (const text of ['curl -u administrator-of-site1: x', `curl -u ${madeUp(18, '0123456789')}: x`, 'curl -u svc-deploy-2024: x'])
      expect(redactLine(text, 'run.sh').text).toBe(text);
  });

  it('RED-8: ports, variables and flags of other programs stay', () => {
    for (const text of [
      'mkdir -p build/output1',
      'p4 -p ssl:server1:1666 info',
      'mysql -p',
      'curl -u "$USER:$PASS" x',
      'docker login -u svc -p $TOKEN',
      'ssh -p 2222 host',
      "commands = ['mysql -p', 'p4 login']",
      "  'mysql -p',\\n  'p4 login',\\n",
    ])
      expect(redactLine(text, 'run.sh').text).toBe(text);
  });
});
