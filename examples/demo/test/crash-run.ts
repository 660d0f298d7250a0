// Runs the demo's worker in a process that kills itself at a chosen step.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createP4Simulator, type P4Simulator } from '@criticizer/p4/testing';
import { standInMail } from '../src/mail/mail-endpoint.js';
import { findOrStartMailServer, stopMailServer } from '../src/mail/mail-server-process.js';
import { standInModel } from '../src/model/model-endpoint.js';
import { sampleConnection } from '../src/perforce/demo-perforce.js';
import { type ShelfVersion, shelfNumber, shelveOn } from '../src/perforce/sample-shelf.js';
import { openDemoFolder } from '../src/state/demo-folder.js';
import { openDemoState } from '../src/state/demo-state.js';
import { bundleDemo } from './demo-bundle.js';

export interface CrashOutcome {
  signal: NodeJS.Signals | null;
  report: { status: string; steps: string[]; result: { mails?: number } } | null;
  complaint: string;
}

export interface CrashPlace {
  directory: string;
  /** What the worker takes, besides `crashAt`. */
  options: object;
}

/** Names of the mails that the server of this folder took. */
export const mailsIn = (directory: string): string[] =>
  readdirSync(join(directory, 'mail')).filter((name) => name.endsWith('.eml'));

/** Crashes at every position of `waiting`, `width` at a time. */
export async function crashAtEach(
  waiting: number[],
  width: number,
  crash: (crashAt: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) await crash(at);
    }),
  );
}

/** The bundled worker, and the folders that its runs need. */
export async function openCrashRuns() {
  const { crashWorker, mailServer } = await bundleDemo();
  const folders: string[] = [];
  const simulators: P4Simulator[] = [];
  return {
    /** A state folder of its own, with its own mail server: nothing of one crash helps the next. */
    async prepare(modelOrigin: string): Promise<CrashPlace> {
      const directory = mkdtempSync(join(tmpdir(), 'criticizer-crash-'));
      folders.push(directory);
      const simulator = (await openDemoState(openDemoFolder(directory, false))).startSimulator();
      simulators.push(simulator);
      const mail = await findOrStartMailServer(directory, { script: mailServer });
      return {
        directory,
        options: {
          directory,
          p4: sampleConnection(directory, simulator),
          model: standInModel(modelOrigin),
          mail: standInMail(mail.port),
        },
      };
    },

    /** The sample shelf as it is in a version, for the worker of a prepared folder. */
    async shelve({ directory, options }: CrashPlace, version: ShelfVersion): Promise<CrashPlace> {
      const { server } = await openDemoState(directory);
      const simulator = createP4Simulator(shelveOn(server.model, version));
      simulators.push(simulator);
      const shelf = { p4: sampleConnection(directory, simulator), change: shelfNumber, reviewVersion: version };
      return { directory, options: { ...options, ...shelf } };
    },

    /** Runs the worker until it ends, or kills itself at step `crashAt`. */
    run(options: object, crashAt: number | string | null): Promise<CrashOutcome> {
      return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [crashWorker, JSON.stringify({ ...options, crashAt })], {
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let out = '';
        let complaint = '';
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          complaint = (complaint + text).slice(-2_000);
        });
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          out += text;
        });
        child.once('error', reject);
        child.once('close', (_code, signal) =>
          resolve({ signal, report: out === '' ? null : JSON.parse(out), complaint }),
        );
      });
    },

    async dispose(): Promise<void> {
      for (const simulator of simulators) simulator.dispose();
      for (const folder of folders) {
        await stopMailServer(folder);
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
