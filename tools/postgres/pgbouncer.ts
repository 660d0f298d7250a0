// `npm run test:pgbouncer`: the PostgreSQL tests through pgbouncer in transaction mode, in front of
// a throw-away server: nothing of ours may rest in a session. Needs the system's pgbouncer.
// Arguments after -- go to vitest.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, stopWithStdin, type TestPostgres } from './postgres.js';
import { countLine, runPostgresTests } from './postgres-tests.js';

const nobody = 65534;
const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}; // as root it refuses to run
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` };
const serverConnections = 5;

/** Its first line of `--version`; undefined where it is not installed. */
function installedVersion(): string | undefined {
  try {
    return execFileSync('pgbouncer', ['--version'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).split('\n')[0];
  } catch {
    return undefined;
  }
}

// A password for nobody: who may connect is asked of the server, because the tests make roles of their own.
const configuration = (top: string, serverFolder: string): string => `[databases]
* = host=${serverFolder} port=5432 auth_user=postgres
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = ${top}
auth_type = trust
auth_file = ${join(top, 'users.txt')}
auth_query = SELECT usename, coalesce(passwd, '') FROM pg_shadow WHERE usename = $1
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 500
log_connections = 0
log_disconnections = 0
log_pooler_errors = 0
log_stats = 0
`;

interface Pooler {
  url: string;
  stop(): Promise<void>;
}

/** A pgbouncer before this server, on a Unix socket of its own. */
async function startPgbouncer(server: TestPostgres): Promise<Pooler> {
  const top = mkdtempSync(join(tmpdir(), 'crit-pgb-'));
  const file = join(top, 'pgbouncer.ini');
  writeFileSync(file, configuration(top, new URL(server.url).searchParams.get('host') ?? ''));
  writeFileSync(join(top, 'users.txt'), '"postgres" ""\n');
  if ('uid' in owner) for (const path of [top, file, join(top, 'users.txt')]) chownSync(path, nobody, nobody);
  const child = spawn('sh', ['-c', stopWithStdin, 'sh', 'pgbouncer', file], {
    ...owner,
    env,
    cwd: top,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const gone = new Promise<void>((done) => child.once('exit', () => done()));
  let log = '';
  await new Promise<void>((ready, fail) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4000);
      if (log.includes('process up')) ready();
    });
    child.once('exit', (code) => fail(new Error(`pgbouncer ended with ${code}: ${log}`)));
    child.once('error', fail);
  });
  return {
    url: `postgresql://postgres@localhost:6432/postgres?host=${encodeURIComponent(top)}`,
    async stop() {
      child.stdin.end();
      await gone;
      rmSync(top, { recursive: true, force: true });
    },
  };
}

async function testThroughPooler(version: string): Promise<boolean> {
  const server = await startPostgres();
  try {
    const pooler = await startPgbouncer(server);
    try {
      const count = await runPostgresTests(pooler.url, {
        env: { CRITICIZER_TEST_POOLER: 'transaction' },
        args: process.argv.slice(2),
      });
      if (count.failed > 0) console.error(count.output);
      for (const [line] of count.output.matchAll(/^.*skipped behind a transaction pooler:.*$/gm)) console.log(line);
      console.log(
        `${version}, transaction mode, ${serverConnections} connections to ${server.version}: ${countLine(count)}`,
      );
      return count.failed === 0;
    } finally {
      await pooler.stop();
    }
  } finally {
    await server.stop();
  }
}

const version = installedVersion();
if (version === undefined) {
  console.error('No pgbouncer here: install it (Debian, Ubuntu: apt-get install pgbouncer) and try again.');
  process.exitCode = 1;
} else {
  process.exitCode = (await testThroughPooler(version)) ? 0 : 1;
}
