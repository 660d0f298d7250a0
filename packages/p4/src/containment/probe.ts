import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFailure, type Obstacle, type ToolFailure } from './obstacles.js';
import type { CommandLine } from './rungs.js';

/** How a probe starts the client, with which environment. */
export type Start = (argv: readonly string[]) => CommandLine & { env: Readonly<Record<string, string>> };

interface ProbeRun extends ToolFailure {
  stdout: string;
}

/** Longer than a client takes that asks no server. */
const probeMs = 10_000;

function run({ file, argv, env }: ReturnType<Start>): Promise<ProbeRun> {
  return new Promise((resolve) => {
    const options = { cwd: '/', env: { ...env }, timeout: probeMs, killSignal: 'SIGKILL', maxBuffer: 65_536 } as const;
    execFile(file, [...argv], options, (error, stdout, stderr) => {
      const code = error?.code;
      resolve({
        exitCode: error === null ? 0 : typeof code === 'number' ? code : null,
        errorCode: typeof code === 'string' ? code : null,
        stdout,
        stderr,
      });
    }).stdin?.end();
  });
}

/** A file that only an uncontained client can read: its ticket list. */
interface Canary {
  file: string;
  text: string;
  remove(): Promise<void>;
}

async function makeCanary(): Promise<Canary> {
  const directory = await mkdtemp(join(tmpdir(), 'criticizer-p4-canary-'));
  const text = randomBytes(16).toString('hex').toUpperCase();
  const file = join(directory, 'tickets');
  await writeFile(file, `canary.invalid:1666=canary:${text}\n`);
  // Readable for every user: what hides it is the containment alone.
  await chmod(file, 0o644);
  await chmod(directory, 0o755);
  return { file, text, remove: () => rm(directory, { recursive: true, force: true }) };
}

/**
 * Proves that a contained client starts (`-V`) and does not read a file outside, and that the same
 * client reads it uncontained: `p4 tickets` prints the tickets of the file that P4TICKETS names,
 * and asks no server. Returns what is in the way, null where the proof holds.
 */
export async function probeContainment(
  start: Start,
  uncontained: Start,
): Promise<{ obstacle: Obstacle; says: string } | null> {
  const version = await run(start(['-V']));
  if (version.exitCode !== 0 || version.stdout === '') {
    const started = version.exitCode === 0 ? 'not-executable' : explainFailure(version);
    return { obstacle: started, says: firstLine(version) };
  }
  const canary = await makeCanary();
  try {
    const tickets = (how: Start): Promise<ProbeRun> => {
      const { env, ...command } = how(['tickets']);
      return run({ ...command, env: { ...env, P4TICKETS: canary.file } });
    };
    const [inside, outside] = [await tickets(start), await tickets(uncontained)];
    const holds = inside.exitCode === 0 && !inside.stdout.includes(canary.text);
    if (holds && outside.stdout.includes(canary.text)) return null;
    return { obstacle: 'not-proved', says: holds ? 'the control did not print the canary' : firstLine(inside) };
  } finally {
    await canary.remove();
  }
}

/** The tool's message, or why it did not start. Never the client's output. */
function firstLine({ errorCode, stderr, exitCode }: ProbeRun): string {
  return errorCode ?? (stderr.split('\n')[0]?.slice(0, 200) || `status ${exitCode}`);
}
