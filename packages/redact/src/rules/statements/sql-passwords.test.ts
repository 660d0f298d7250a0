import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';

describe('SQL passwords', () => {
  it('RED-3: the password of an account, whatever plugin checks it', () => {
    const places = [
      ['a.sql', (v: string) => `CREATE USER 'app'@'%' IDENTIFIED BY '${v}';`],
      ['a.sql', (v: string) => `ALTER USER app IDENTIFIED BY "${v}";`],
      ['a.sql', (v: string) => `ALTER USER 'app'@'%' IDENTIFIED WITH mysql_native_password BY '${v}';`],
      ['a.sql', (v: string) => `CREATE USER app WITH PASSWORD '${v}';`],
      ['a.sql', (v: string) => `SET PASSWORD FOR 'app'@'h' = PASSWORD('${v}');`],
    ] as const;
    expect(notHidden(places, madeUp(16))).toEqual([]);
  });

  it('RED-3: what is inserted into a column of passwords, row by row', () => {
    const places = [
      ['a.sql', (v: string) => `INSERT INTO users (login, password) VALUES ('ann', '${v}');`],
      ['a.sql', (v: string) => "INSERT INTO `users` (`id`, `passwd`, `at`) VALUES (1, MD5('$'), now);".replace('$', v)],
      [
        'a.py',
        (v: string) => `db.execute("INSERT INTO users (password, login) VALUES ('${v}', 'it''s ann'), (NULL, 'b')")`,
      ],
      ['a.sql', (v: string) => `insert into users (login, password)\nvalues ('ann', ''),\n  ('bob', '${v}');`],
    ] as const;
    expect(notHidden(places, madeUp(16))).toEqual([]);
    expect(
      notKept([
        ['a.py', 'INSERT INTO users (login, password) VALUES (%s, %s)'],
        ['a.sql', `INSERT INTO users (login, password_at) VALUES ('ann', '${madeUp(16)}');`],
        ['a.sql', "INSERT INTO users (login, password) VALUES ('ann1234', NULL), ('bob', 'password')"],
      ]),
    ).toEqual([]);
  });

  it('RED-3: what a dump copies into a column of passwords; a password that starts like a variable', () => {
    const write = (v: string): string =>
      `COPY public.accounts (id, login, password) FROM stdin;\n1\tann\t${v}\n2\tbob\t\\N\n\\.\n`;
    expect(redactLine(write(madeUp(14)), 'dump.sql').text).toBe(write('[REDACTED:password:1]'));
    expect(redactLine("ALTER ROLE a WITH LOGIN PASSWORD '$MeadowCobalt75';", 'a.sql').text).toBe(
      "ALTER ROLE a WITH LOGIN PASSWORD '[REDACTED:password:1]';",
    );
    for (const reference of ['$password', '$AdminPassword01', '$DB_PASSWORD'])
      expect(redactLine(`ALTER ROLE a PASSWORD '${reference}';`, 'a.sql').text).toContain(reference);
  });

  it('RED-8: prose that identifies something stays', () => {
    expect(
      notKept([
        ['a.h', '** all columns identified by "aOrderBy".'],
        ['a.py', "@return: the object identified by 'name'."],
        ['a.py', '# "x-mac-hebrew" is also identified as windows-1255. A text'],
        ['a.md', 'Users are identified by their address.'],
        ['a.sql', 'ALTER USER app IDENTIFIED BY :password;'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: a statement that a shell hands on, with its semicolon escaped', () => {
    const v = madeUp(14);
    expect(redactLine(`sh -c 'echo CREATE USER ann IDENTIFIED BY ${v}\\; >>setup.sql'`, 'a.sh').text).not.toContain(v);
  });
});
