import { isP4UserName } from '../client/p4-port.js';
import type { WatchedChange } from '../watch/watched-change.js';
import { type DoctorFinding, finding } from './doctor-findings.js';

/** Why a user looks like a program. */
export type RobotSign =
  /** Its name has a word such as `bot`, `build` or `jenkins`. */
  | 'name'
  /** Its descriptions differ in numbers alone. */
  | 'uniform'
  /** Half of its changes follow the one before within a minute. */
  | 'rapid'
  /** Half of its changes have 200 files or more, as merges and generated trees have. */
  | 'mass';

/** A user whose changes need no review by a model. */
export interface Robot {
  user: string;
  /** Of the changes that were looked at. */
  changes: number;
  signs: readonly RobotSign[];
}

/** Fewer changes than this show no habit. */
const minChanges = 5;
const rapidMs = 60_000;
const massFiles = 200;
const uniformShare = 0.8;
const robotWords: ReadonlySet<string> = new Set([
  ...['automation', 'bot', 'build', 'builder', 'ci', 'jenkins', 'merge', 'nightly', 'robot'],
  ...['service', 'svc', 'sync', 'teamcity'],
]);

/** By whole words: `ue-build`, `mergeBot`, `robomerge`, `buildfarm`, and nobody whose surname is Talbot. */
function isRobotName(user: string): boolean {
  const words = user
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => robotWords.has(word) || /^(?:robo|build)[a-z]+$/.test(word));
}

/** Numbers, digests and paths say which change it is, not what kind. */
function reduceToShape(description: string): string {
  const [first = ''] = description.trim().toLowerCase().split('\n');
  return first
    .replace(/\/\/\S+/g, '//')
    .replace(/\b[0-9a-f]{7,}\b/g, '0')
    .replace(/[0-9]+(?:[.:-][0-9]+)*/g, '0');
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

function isUniform(changes: readonly WatchedChange[]): boolean {
  const counts = new Map<string, number>();
  for (const shape of changes.map(({ description }) => reduceToShape(description)))
    if (shape !== '') counts.set(shape, (counts.get(shape) ?? 0) + 1);
  return Math.max(0, ...counts.values()) >= uniformShare * changes.length;
}

function isRapid(changes: readonly WatchedChange[]): boolean {
  const times = changes
    .flatMap(({ changedAt }) => (changedAt === null ? [] : [changedAt.getTime()]))
    .sort((a, b) => a - b);
  const gap = median(times.slice(1).map((time, at) => time - (times[at] ?? time)));
  return gap !== null && gap < rapidMs;
}

function findSigns(user: string, changes: readonly WatchedChange[]): readonly RobotSign[] {
  const signs: RobotSign[] = isRobotName(user) ? ['name'] : [];
  if (changes.length < minChanges) return signs;
  if (isUniform(changes)) signs.push('uniform');
  if (isRapid(changes)) signs.push('rapid');
  if ((median(changes.map(({ files }) => files.length)) ?? 0) >= massFiles) signs.push('mass');
  return signs;
}

/**
 * Users whose changes look like those of merge robots and build machines, most changes first. A
 * proposal for a person: a name, one habit of all the changes, or both. `known` are left out.
 */
export function findRobots(changes: readonly WatchedChange[], known: readonly string[]): readonly Robot[] {
  const isKnown = new Set(known.map((user) => user.toLowerCase()));
  const byUser = new Map<string, WatchedChange[]>();
  for (const change of changes) {
    if (!isP4UserName(change.user) || isKnown.has(change.user.toLowerCase())) continue;
    byUser.set(change.user, [...(byUser.get(change.user) ?? []), change]);
  }
  return [...byUser]
    .map(([user, own]) => ({ user, changes: own.length, signs: findSigns(user, own) }))
    .filter(({ signs }) => signs.length > 0)
    .sort((a, b) => b.changes - a.changes || a.user.localeCompare(b.user, 'en'));
}

/** The finding for a person: who and why, and the settings that leave them out. */
export function robotsFinding(robots: readonly Robot[], known: readonly string[]): DoctorFinding {
  const users = robots.map(({ user, changes, signs }) => `${user} ${changes} (${signs.join(', ')})`);
  const add = JSON.stringify({ intake: { skipUsers: [...known, ...robots.map(({ user }) => user)] } });
  return finding('users.robots', { users, add });
}
