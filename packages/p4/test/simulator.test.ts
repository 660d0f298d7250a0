import { Buffer } from 'node:buffer';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarshalReader } from '../src/client/marshal-reader.js';
import { realHost } from '../src/testing/attacked-host.js';
import type { P4SimulatorAttack, P4SimulatorModel } from '../src/testing/index.js';
import { renderEvents } from '../src/testing/render-events.js';
import type { ServerEvent } from '../src/testing/server-events.js';
import { smallModel } from './fetcher-setup.js';
import { collect, simulate } from './simulate.js';

const port = 'sim.invalid:1666';
const print = ['-p', port, '-u', 'reviewer', '-ztag', '-G', 'print', '//depot/main/a.txt#1'];
const drive = (attack: P4SimulatorAttack, target?: string): P4SimulatorModel => ({
  ...smallModel,
  fault: { kind: 'drive-client', attack, target },
});
const run = (
  argv: string[],
  more: Omit<Parameters<typeof simulate>[1], 'argv'> = {},
  model: P4SimulatorModel = smallModel,
) => simulate(model, { argv, ...more });

describe('simulator', () => {
  it.each<[string, () => ReturnType<typeof simulate>, string[]]>([
    ['a port that runs a command', () => run(['-p', 'rsh:touch x', 'info']), ['ran rsh:touch x']],
    [
      'a P4CONFIG in a directory above PWD',
      () => run(print, { env: { P4CONFIG: '.p4', PWD: '/a/b' }, files: { '/a/.p4': 'P4EDITOR=evil\n' } }),
      ['read /a/.p4'],
    ],
    [
      'a P4ENVIRO file, and what it sets',
      () => run(print, { env: { HOME: '/h' }, files: { '/h/.p4enviro': 'P4EXTENSIONS=x.lua\n' } }),
      ['read /h/.p4enviro', 'took P4EXTENSIONS'],
    ],
    [
      'an aliases file',
      () => run(print, { env: { HOME: '/h' }, files: { '/h/.p4aliases': 'print = describe\n' } }),
      ['read /h/.p4aliases'],
    ],
    ['a Lua program', () => run(['--script', 'x.lua', ...print]), ['ran x.lua']],
    ['a log of the client', () => run(print, { env: { P4LOG: '/tmp/x' } }), ['took P4LOG']],
    ['a file option', () => run([...print.slice(0, -1), '-o/tmp/evil', '//depot/main/a.txt#1']), ['wrote /tmp/evil']],
    [
      'an operand file that begins with an option',
      () => run(['-p', port, '-x', '-', 'print'], { stdin: '-o/tmp/evil\n//depot/main/a.txt#1\n' }),
      ['wrote /tmp/evil'],
    ],
    ['a command of the client alone', () => run(['-p', port, 'tickets']), ['ran p4 tickets']],
    ['a command that writes', () => run(['-p', port, 'submit']), ['ran p4 submit']],
    ['a counter that is set', () => run(['-p', port, 'counter', 'x', '1']), ['set a counter']],
    ['a file written by the server', () => run(print, {}, drive('write-file')), ['write-file /tmp/criticizer-planted']],
    [
      'a file in the directory for temporary files',
      () => run(print, { env: { P4CLIENTPATH: '/nonexistent' } }, drive('read-file')),
      ['read-file /tmp/criticizer-planted'],
    ],
    [
      'a file deleted by the server',
      () => run(print, {}, drive('delete-file')),
      ['delete-file /tmp/criticizer-planted'],
    ],
    [
      'an editor',
      () =>
        run(
          print,
          { env: { P4CLIENTPATH: '/nonexistent', TEMP: '/nonexistent', EDITOR: 'emacs' } },
          drive('run-editor'),
        ),
      ['ran emacs'],
    ],
    [
      'a sign-on program',
      () => run(print, { env: { P4LOGINSSO: '/x/sso' } }, drive('run-sso')),
      ['took P4LOGINSSO', 'ran /x/sso'],
    ],
    ['an answered prompt', () => run(print, { stdin: 'yes\n' }, drive('prompt')), ['answered a prompt']],
    ['a browser', () => run(print, {}, drive('open-url')), ['opened a URL']],
    [
      'a program for virtual files',
      () => run(print, { env: { P4ALTSYNC: '/x/alt' } }, drive('run-alt-sync')),
      ['took P4ALTSYNC', 'ran /x/alt'],
    ],
    ['input that the server asks for', () => run(print, { stdin: 'text' }, drive('input-data')), ['sent its input']],
  ])('tells of %s, where the client is not contained', (_name, attempt, violations) => {
    expect(attempt().violations).toEqual(violations);
  });

  it.each<P4SimulatorAttack>(['list-directory', 'digest-file', 'scan-directory', 'compare-file', 'match-file'])(
    'tells what the server gets by %s, which no setting of the client stops, and the command ends well',
    (attack) => {
      const contained = { P4CLIENTPATH: '/nonexistent', TEMP: '/nonexistent' };
      const files = { '/etc/hostname': 'host\n' };
      const seen = run(print, { env: contained, files }, drive(attack, '/etc/hostname'));
      expect(seen).toMatchObject({ exitCode: 0, uploads: [{ path: '/etc/hostname' }] });
      expect(seen.violations).toEqual([`${attack} /etc/hostname`]);
      const hidden = run(print, { env: contained }, drive(attack, '/etc/hostname'));
      expect(hidden).toMatchObject({ exitCode: 0, stdout: seen.stdout, uploads: [], violations: [] });
    },
  );

  it('changes and starts nothing outside a canary directory, whatever its model says', () => {
    const outside = mkdtempSync(join(tmpdir(), 'criticizer-outside-'));
    const [file, inner] = [join(outside, 'kept'), join(outside, 'criticizer-canary-x')];
    writeFileSync(file, 'kept', { mode: 0o600 });
    mkdirSync(inner);
    try {
      for (const target of [file, join(inner, '../kept')])
        for (const attack of ['write-file', 'delete-file', 'chmod-file'] as const)
          expect(realHost.attack(attack, target)).toMatchObject({ done: false, code: 'EPERM' });
      expect(realHost.start('/bin/true')).toBe(false);
      expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['kept', 0o600]);
      expect(realHost.attack('write-file', join(inner, 'planted'))).toEqual({ done: true, uploads: [] });
      expect(realHost.attack('list-directory', outside)).toMatchObject({
        uploads: [{ path: join(inner, 'planted'), md5: expect.stringMatching(/^[0-9A-F]{32}$/) }, { path: file }],
      });
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it('does by itself what the client does without a server', () => {
    const files = { '/t': 'h:1=ann:AB\n' };
    expect(run(['tickets'], { env: { P4TICKETS: '/t' }, files }).stdout.toString()).toBe('h:1 (ann) AB\n');
    expect(run(['tickets']).stdout.toString()).toBe('');
    expect(run(['-V']).stdout.toString()).toMatch(/^Perforce - .*\nRev\. P4\//);
  });

  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const event: fc.Arbitrary<ServerEvent> = fc.oneof(
    fc.record({
      kind: fc.constant('stat' as const),
      fields: fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), text), {
        maxLength: 5,
        selector: ([key]) => key,
      }),
    }),
    fc.record({ kind: fc.constant('info' as const), level: fc.nat(3), text }),
    fc.record({
      kind: fc.constantFrom('text' as const, 'binary' as const),
      data: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    }),
    fc.record({
      kind: fc.constant('message' as const),
      severity: fc.integer({ min: 2, max: 4 }),
      generic: fc.nat(40),
      text,
    }),
  );

  it('prints records that a reader of another hand finds whole, in -G and in JSON', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), (events) => {
        const codes: unknown[] = [];
        const reader = createMarshalReader(({ values }) => codes.push(values[0]));
        const marshal = collect(renderEvents(events, 'marshal'));
        reader.push(marshal.stdout);
        reader.end();
        expect(codes).toEqual(events.map(({ kind }) => (kind === 'message' ? 'error' : kind)));
        const lines = collect(renderEvents(events, 'json')).stdout.toString('utf8').split('\n').slice(0, -1);
        expect(lines.map((line) => typeof JSON.parse(line))).toEqual(events.map(() => 'object'));
        expect(marshal.exitCode).toBe(events.some((one) => one.kind === 'message' && one.severity >= 3) ? 1 : 0);
      }),
      { numRuns: 200 },
    );
  });

  it('loses in JSON what the client loses: all after a NUL, what is not UTF-8, the first empty record', () => {
    const events: ServerEvent[] = [
      { kind: 'stat', fields: [] },
      { kind: 'stat', fields: [] },
      { kind: 'binary', data: Buffer.from([0x89, 0x50, 0, 0x41]) },
    ];
    expect(collect(renderEvents(events, 'json')).stdout.toString('utf8')).toBe('null\n{}\n{"data":"\ufffdP"}\n');
  });

  it('says of a pending change that it has a shelf, also where the shelf is not requested', () => {
    const files = [{ path: '//depot/main/a.txt', action: 'edit', content: 'three\n' }] as const;
    const pending = { number: 6, user: 'ann', description: 'wip', status: 'pending', files } as const;
    const describeChange = (change: object, ...flags: string[]) =>
      simulate(
        { changes: [...smallModel.changes, { ...pending, ...change }] },
        { argv: ['-p', port, '-ztag', 'describe', '-s', ...flags, '6'] },
      ).stdout.toString();
    expect(describeChange({ shelved: true })).toMatch(/^\.\.\. shelved $/m);
    expect(describeChange({ shelved: true })).not.toContain('depotFile0');
    expect(describeChange({ shelved: true }, '-S')).toMatch(/^\.\.\. shelved $/m);
    expect(describeChange({})).not.toContain('shelved');
  });

  it('refuses what is over the limits of its server, unless less is asked for', () => {
    const model = { ...smallModel, limits: { maxResults: 1 } };
    const changes = (...flags: string[]) => simulate(model, { argv: ['-p', port, 'changes', ...flags] });
    expect(changes().stderr.toString()).toBe("Request too large (over 1); see 'p4 help maxresults'.\n");
    expect(changes('-m', '1').exitCode).toBe(0);
  });

  it.each([
    [['files', '//depot/main/...'], '//depot/main/a.txt#2 - edit change 5 (text)\n'],
    [['files', '//depot/main/...@4'], '//depot/main/a.txt#1 - add change 4 (text)\n'],
    [['files', '//depot/main/a.txt@999'], '//depot/main/a.txt#2 - edit change 5 (text)\n'],
    [
      ['diff2', '//depot/main/a.txt#1', '//depot/main/a.txt#2'],
      '==== //depot/main/a.txt#1 (text) - //depot/main/a.txt#2 (text) ==== content\n1c1\n< one\n---\n> two\n',
    ],
    [['counter', 'change'], '5\n'],
  ])('answers %j', (command, expected) => {
    expect(run(['-p', port, ...command]).stdout.toString()).toBe(expected);
  });
});
