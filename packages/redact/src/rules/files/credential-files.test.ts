import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

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

  it('RED-3: lists of logins and recorded sessions', () => {
    const places = [
      ['user-data.yml', (v: string) => `chpasswd:\n  list: |\n    root:${v}\n`],
      ['client.ovpn', (v: string) => `<auth-user-pass>\nann\n${v}\n</auth-user-pass>`],
      ['session.log', (v: string) => `USER ann\nPASS ${v}\n`],
      ['session.json', (v: string) => `{"log": "---> USER ann\\r\\n---> PASS ${v}",\n "id": 1}`],
      ['session.log', (v: string) => `a1 LOGIN ann ${v}\n`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: a relay without brackets, a password as it is, one that Terraform made, users of a login module, an answer to a prompt', () => {
    const places = [
      ['sasl_passwd', (v: string) => `smtp.example.com ann@example.com:${v}`],
      ['users.passwd', (v: string) => `ann@example.com:{PLAIN}${v}:1000:1000::/home/ann`],
      [
        'terraform.tfstate',
        (v: string) =>
          `"type": "random_password",\n "name": "db",\n "instances": [{ "attributes": { "length": 16, "result": "${v}" } }]`,
      ],
      [
        'jaas.conf',
        (v: string) => `PlainLoginModule required\n  username="admin"\n  user_ann="${v}"\n  user_bob="${v}";`,
      ],
      ['jaas.conf', (v: string) => `DigestLoginModule required\n  user_super="${v}";`],
      ['login.exp', (v: string) => `expect "Password:"\nsend "${v}\\r"`],
      ['login.exp', (v: string) => `expect "Password: "\nsend -- "${v}\\r"`],
      ['login.py', (v: string) => `child.expect('assword:')\nchild.sendline('${v}')`],
      ['login.py', (v: string) => `tn.read_until(b"Password: ")\ntn.write(b"${v}\\n")`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-8: what only begins so stays', () => {
    expect(
      notKept([
        ['a.sh', 'host:5432:main'],
        ['a.sh', 'echo "$1$2$3"'],
        ['a.log', 'PASS all 12 tests'],
        ['a.log', 'after a login the user sees it'],
        ['a.md', 'smtp.example.com listens on 587, write to ann@example.com: she knows.'],
        ['a.ts', 'route("/mail/{plain}body1")'],
        ['main.tf', 'resource "random_password" "db" {\n  length = 16\n}\noutput "result" { value = "x1" }'],
        ['login.exp', 'expect "Password:"\nsend "$password\\r"'],
        ['login.exp', 'expect "Continue?"\nsend "yes1\\r"'],
        ['login.py', "child.expect('assword:')\nchild.sendline(password)"],
        ['login.py', "raise ValueError('no password:')\nchild.sendline('uptime')"],
      ]),
    ).toEqual([]);
  });
});
