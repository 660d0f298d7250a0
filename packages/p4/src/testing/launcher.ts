import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SimulatorFiles } from './run-simulator.js';

/** This file: in the CommonJS build there is no import.meta. */
const here = typeof __filename === 'string' ? __filename : fileURLToPath(import.meta.url);

/**
 * Writes an executable that runs the simulator and nothing else. It needs no environment: a client
 * started with an empty one gets the same simulator, and sees in its record exactly the variables
 * it was given. Returns its absolute path.
 */
export function writeLauncher(directory: string, files: SimulatorFiles): string {
  const program = `require(${JSON.stringify(simulatorProgram(directory))}).runP4Simulator(${JSON.stringify(files)});\n`;
  const executable = join(directory, 'p4');
  // A package above the folder may say that files without an extension are modules.
  writeFileSync(join(directory, 'package.json'), '{"type":"commonjs"}\n');
  // Kernels cut an interpreter line at a space and, old ones, at 127 bytes.
  if (/^\S{1,120}$/.test(process.execPath)) {
    writeFileSync(executable, `#!${process.execPath}\n${program}`, { mode: 0o700 });
    return executable;
  }
  const script = join(directory, 'launch.cjs');
  writeFileSync(script, program, { mode: 0o600 });
  // A shell may add PWD to an environment without it.
  writeFileSync(executable, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(script)} "$@"\n`, { mode: 0o700 });
  return executable;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The built package is required as it is; from its sources, which plain Node 20 cannot read, one
 * file is built first.
 */
function simulatorProgram(directory: string): string {
  if (!here.endsWith('.ts')) return createRequire(here).resolve('@criticizer/p4/testing');
  const outfile = join(directory, 'simulator.cjs');
  esbuild().buildSync({
    entryPoints: [join(dirname(here), 'run-simulator.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'silent',
  });
  return outfile;
}

interface Esbuild {
  buildSync(options: Readonly<Record<string, unknown>>): unknown;
}

/** Developers of this repository have it as a part of tsx. */
function esbuild(): Esbuild {
  const fromTsx = createRequire(createRequire(here).resolve('tsx'));
  return fromTsx('esbuild') as Esbuild;
}
