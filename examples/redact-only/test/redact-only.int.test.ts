import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createRedactedLogger } from '../src/redacted-logger.js';

const secret = (): string => `k${randomBytes(18).toString('hex')}`;

async function run(
  script: string,
  input: string,
  ...args: string[]
): Promise<{ out: string; told: string; code: number | null }> {
  const file = fileURLToPath(new URL(`../src/${script}`, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', file, ...args]);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.end(input);
  const [out, told, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { out, told, code };
}

it('a file comes out of standard input without its secrets, line by line', async () => {
  const planted = secret();
  const { out, told, code } = await run(
    'redact-text.ts',
    `PORT=80\nAPI_KEY=${planted}\nOWNER=ann@corp.example\n`,
    '--path',
    'app.env',
  );
  expect(code).toBe(0);
  expect(out).toMatch(/^PORT=80\nAPI_KEY=\[REDACTED:[a-z-]+:1\]\nOWNER=\[REDACTED:email:1\]\n$/);
  expect(told).toContain('"email":1');
  expect(out + told).not.toContain(planted.slice(0, 8));
});

it('JSON logs go through the filter, and what is no JSON is withheld', async () => {
  const planted = secret();
  const lines = [{ level: 30, msg: `sent bearer ${planted}`, password: planted, ticket: 'ABC-1' }, planted];
  const { out } = await run('redact-logs.ts', `${JSON.stringify(lines[0])}\nplain ${planted}\n`);
  expect(out).not.toContain(planted.slice(0, 8));
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { level: 30, msg: 'sent bearer [REDACTED]', password: '[REDACTED]', ticket: 'ABC-1' },
    { level: 50, msg: '[withheld: a log line that is no JSON]' },
  ]);
});

it('a pino logger loses secrets in fields, bindings, errors and messages', () => {
  const planted = secret();
  const written: string[] = [];
  const logger = createRedactedLogger({ write: (line) => void written.push(line) }).child({ authorization: planted });
  logger.error(
    { err: new Error(`401 with password=${planted}`), user: { email: 'ann@corp.example', badgeNumber: 7 } },
    'bearer %s',
    planted,
  );
  const all = written.join('');
  expect(all).not.toContain(planted.slice(0, 8));
  expect(JSON.parse(all)).toMatchObject({
    authorization: '[REDACTED]',
    msg: 'bearer [REDACTED]',
    user: { email: 'a***@corp.example', badgeNumber: '[REDACTED]' },
    err: { type: 'Error' },
  });
});
