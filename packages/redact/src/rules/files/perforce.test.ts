import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';

const TICKET = madeUp(32, '0123456789ABCDEF');
const MARK = '[REDACTED:perforce-ticket:1]';

describe('Perforce credentials', () => {
  it('RED-2: tickets in ticket files and after a login are found', () => {
    expect(redactLine(`localhost:1666=alice:${TICKET}`, 'p4tickets.txt')).toEqual({
      text: `localhost:1666=alice:${MARK}`,
      rules: ['perforce-ticket:high'],
    });
    expect(redactLine(`$ p4 login -ap\nEnter password:\n${TICKET}\n`).text).toContain(MARK);
  });

  it('RED-2: tickets by the name of a server, under their name, behind the option for a password, in checkpoints', () => {
    const places = [
      ['.p4tickets', (v: string) => `localhost:StudioCommit=ann:${v}`],
      ['a.cs', (v: string) => `internal const string Ticket = "${v}";`],
      ['a.java', (v: string) => `server.setAuthTicket("${v}");`],
      ['a.json', (v: string) => `{ "userName": "ann", "ticket": "${v}" }`],
      ['a.sh', (v: string) => `p4 -p tcp:p4:1666 -u ann -P${v} changes`],
      ['a.conf', (v: string) => `execute = "/p4/bin/filter.py --p4user ann -P ${v}";`],
      ['a.ps1', (v: string) => `$args = @('-p', 'ssl:p4:1666', '-u', 'ann', '-P', '${v}')`],
      ['checkpoint.1', (v: string) => `@pv@ 6 @db.user@ @ann@ @ann@@example.com@ @@ 1 2 @Ann@ @${v}@ 0 @@ 0 0 3`],
    ] as const;
    expect(
      places.map(([path, write]) => redactLine(write(TICKET), path).text.includes(TICKET) && path).filter(Boolean),
    ).toEqual([]);
    expect(
      notKept([
        ['a.cs', `const string Checksum = "${TICKET}";`],
        ['checkpoint.1', `@pv@ 1 @db.desc@ 12 @${TICKET}@`],
        ['a.txt', `digest ${TICKET}`],
      ]),
    ).toEqual([]);
  });

  it('RED-3: passwords of the client in a list of arguments, in a new password, in what is fed to a login', () => {
    const places = [
      ['a.py', (v: string) => `cmd = ["p4", "-p", "p4:1666", "-u", "ann", "-P", "${v}", "info"]`],
      ['a.sh', (v: string) => `p4 -u ann passwd -O ${v} -P ${v}`],
      ['a.sh', (v: string) => `p4 -u ann login <<EOF\n${v}\nEOF`],
      ['a.sh', (v: string) => `printf '%s\\n' '${v}' | p4 -p ssl:p4:1666 login`],
      ['a.sh', (v: string) => `echo "${v}" | p4 passwd ann`],
      ['a.ps1', (v: string) => `  '${v}' | p4 -u ann login -a`],
      ['gconn.conf', (v: string) => `--superpassword ${v} --gcuserp ${v}`],
      ['p4/common/config/.p4passwd.p4_1.admin', (v: string) => `${v}\n`],
    ] as const;
    const found = places.map(([path, write]) => redactLine(write(madeUp(12)), path).text);
    expect(found.filter((text) => text.includes(madeUp(12)))).toEqual([]);
    expect(
      notKept([
        ['a.py', 'cmd = ["p4", "-p", "p4:1666", "-u", user, "-P", password]'],
        ['a.py', 'run(["mkdir", "-P", "build"])'],
        ['a.sh', 'p4 login <<EOF\n$P4PASS\nEOF'],
        ['a.ps1', '$value.Name | p4 -x - sync'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: passwords in the environment and piped into a login are found', () => {
    expect(redactLine(`p4 set P4PASSWD=${madeUp(12)}`).text).toBe('p4 set P4PASSWD=[REDACTED:password:1]');
    expect(redactLine(`echo ${madeUp(12)} | p4 -u svc login`, 'ci.sh').text).toBe(
      'echo [REDACTED:perforce-password:1] | p4 -u svc login',
    );
  });

  it('RED-3: the password field of a form is one whatever stands in it', () => {
    const places = [
      ['a.txt', (v: string) => `User:\tann\n\nPassword:\t${v}\n`],
      ['a.txt', (v: string) => `Password:\t${v}\n\nUpdate:\t2026/01/02\n`],
      ['a.txt', (v: string) => `SearchBindDN:\tcn=a\n\nSearchPasswd:\t${v}\n`],
    ] as const;
    for (const value of [madeUp(12), `${madeUp(4, 'lnrst')}${madeUp(5, 'aeiou', 3)}`])
      expect(notHidden(places, value)).toEqual([]);
    expect(
      notKept([
        ['a.txt', 'User:\tann\n\nPassword:\t******\n'],
        ['a.txt', 'Password:\tlabel\nWidth:\t12'],
      ]),
    ).toEqual([]);
  });

  it('RED-8: digests, revisions and ports stay', () => {
    for (const text of [
      `//depot/main/a.c#3 ${TICKET}`,
      'P4PORT=ssl:perforce:1666',
      'echo "$P4PASS" | p4 login',
      '//depot/main/...@12345',
    ])
      expect(redactLine(text).text).toBe(text);
  });

  it('RED-3: the client in a literal with all its arguments; RED-8: `-P` behind a command is none of its', () => {
    const places = [
      ['a.cs', (v: string) => `Process.Start("p4", "-u build -P ${v} sync");`],
      ['a.cs', (v: string) => `new ProcessStartInfo("C:\\\\Perforce\\\\p4.exe", "-P ${v} sync")`],
      ['a.cs', (v: string) => `FileName = "p4", Arguments = "-u build -P ${v} sync"`],
      ['a.sh', (v: string) => `p4 -c "my client" $OPTIONS -P ${v} sync`],
    ] as const;
    expect(notHidden(places, madeUp(14))).toEqual([]);
    expect(
      notKept([
        ['a.sh', `p4 counters -P ${madeUp(12)}`],
        ['a.sh', `p4 -u ann streams -P ${madeUp(12)}`],
        ['a.cs', `Process.Start("p4", "sync -P ${madeUp(12)}");`],
        ['a.md', 'p4 passwd [-O oldPassword -P newPassword] [user]'],
      ]),
    ).toEqual([]);
    expect(notHidden([['a.md', (v) => `p4 passwd [-O oldPassword -P ${v}] [user]`]], madeUp(12))).toEqual([]);
  });
});
