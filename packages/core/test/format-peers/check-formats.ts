// `npm run check:formats`: the SARIF that Criticizer writes, judged by Microsoft's SARIF Multitool, which holds it
// against the official schema and the rules of GitHub's code scanning. Fetches the tool (44 MB) once, to a temp folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatReview } from '../../src/formats/format-review.js';
import { hostileTexts, sampleReview } from '../sample-review.js';

const version = '5.7.0';
const packageName = `@microsoft/sarif-multitool-${process.platform}`;

/** The tool's program; npm runs none of its scripts. */
function fetchTool(): string {
  const folder = join(tmpdir(), `criticizer-sarif-multitool-${version}`);
  const program = join(folder, 'package', 'Sarif.Multitool');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--silent', `${packageName}@${version}`], {
    cwd: folder,
    encoding: 'utf8',
  });
  execFileSync('tar', ['xzf', packed.trim(), '-C', folder], { cwd: folder });
  chmodSync(program, 0o755);
  return program;
}

interface Judged {
  ruleId: string;
  level: string;
  message: string;
}

function judge(program: string, directory: string, name: string, sarif: string): readonly Judged[] {
  const file = join(directory, `${name}.sarif`);
  const output = join(directory, `${name}.judged.sarif`);
  writeFileSync(file, sarif);
  const schema = join(dirname(program), 'sarif-2.1.0.json');
  const args = [
    'validate',
    file,
    '--json-schema',
    schema,
    '--output',
    output,
    '--rule-kind',
    'Sarif;Ghas',
    '--level',
    'Error;Warning;Note',
  ];
  const env = { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1' };
  const run = spawnSync(program, [...args, '--kind', 'Fail', '--log', 'ForceOverwrite'], { env, encoding: 'utf8' });
  if (!existsSync(output)) throw new Error(`the validator wrote nothing: ${run.stdout}${run.stderr}`);
  const log = JSON.parse(readFileSync(output, 'utf8'));
  const results = log.runs[0].results ?? [];
  // It has something to note of every log that it could read.
  if (results.length === 0) throw new Error(`the validator could not read ${name}`);
  return results.map(({ ruleId, level = 'warning', message }: { ruleId: string; level?: string; message: object }) => ({
    ruleId,
    level,
    message: JSON.stringify(message),
  }));
}

const program = fetchTool();
const directory = mkdtempSync(join(tmpdir(), 'criticizer-formats-'));
try {
  const root = '//depot/main';
  const samples = {
    plain: formatReview(sampleReview(), 'sarif', { root }),
    hostile: formatReview(sampleReview(hostileTexts), 'sarif', { root }),
    first: formatReview({ ...sampleReview(), history: null, earlier: [], suppressed: [] }, 'sarif'),
    empty: formatReview({ ...sampleReview(), findings: [], earlier: [], suppressed: [] }, 'sarif'),
  };
  let errors = 0;
  for (const [name, sarif] of Object.entries(samples)) {
    const found = judge(program, directory, name, sarif);
    for (const { ruleId, level, message } of found) console.log(`${name}: ${level} ${ruleId} ${message}`);
    errors += found.filter(({ level }) => level === 'error').length;
  }
  // The validator must see a log that is none, or its silence proves nothing.
  const broken = judge(program, directory, 'broken', samples.plain.replace('"baselineState"', '"baseState"'));
  if (!broken.some(({ level }) => level === 'error'))
    throw new Error('the validator passed a log with a member that SARIF does not have');
  console.log(`${Object.keys(samples).length} logs, ${errors} errors`);
  process.exitCode = errors === 0 ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
