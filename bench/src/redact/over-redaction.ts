import type { Redactor } from '@criticizer/redact';
import type { SourceFile } from './ordinary-source.ts';

/** What redaction did to text that holds no secret, as far as anyone knows. */
export interface Damage {
  megabytes: number;
  changedLines: number;
  /** Changed lines in lock files, minified code, styles, vector images and SQL. */
  changedInQuietFiles: number;
  brokenJson: number;
  brokenQuotes: number;
  changedLineCounts: number;
  notIdempotent: number;
  /** `path:line` of every changed line. */
  places: string[];
}

const QUIET = /(?:-lock\.(?:json|yaml)|\.lock|\.min\.[cm]?js|\.css|\.scss|\.svg|\.sql|\.map)$/;

export function damageTo(redactor: Redactor, files: readonly SourceFile[]): Damage {
  const damage: Damage = {
    megabytes: files.reduce((sum, { text }) => sum + text.length, 0) / 1e6,
    changedLines: 0,
    changedInQuietFiles: 0,
    brokenJson: 0,
    brokenQuotes: 0,
    changedLineCounts: 0,
    notIdempotent: 0,
    places: [],
  };
  for (const file of files) {
    const redacted = redactor.session().redact(file.text, { path: file.path }).text;
    if (redacted !== file.text) countDamage(damage, redactor, file, redacted);
  }
  return damage;
}

function countDamage(damage: Damage, redactor: Redactor, { path, text }: SourceFile, redacted: string): void {
  const before = text.split('\n');
  const after = redacted.split('\n');
  if (before.length !== after.length) damage.changedLineCounts += 1;
  before.forEach((line, index) => {
    const now = after[index] ?? '';
    if (line === now) return;
    damage.changedLines += 1;
    if (QUIET.test(path)) damage.changedInQuietFiles += 1;
    if (['"', "'", '`'].some((quote) => (count(line, quote) - count(now, quote)) % 2 !== 0)) damage.brokenQuotes += 1;
    damage.places.push(`${path}:${index + 1}`);
  });
  if (parses(text) && !parses(redacted)) damage.brokenJson += 1;
  if (redactor.session().redact(redacted, { path }).text !== redacted) damage.notIdempotent += 1;
}

const count = (line: string, character: string): number => line.split(character).length - 1;

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
