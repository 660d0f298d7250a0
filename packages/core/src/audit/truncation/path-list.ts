import type { JsonObject } from '../../foundation/json.js';
import { jsonTextBytes } from './json-bytes.js';

const MAX_PATHS = 100;
const MAX_BYTES = 4_096;

/**
 * A list of JSON paths that stays small: the first 100, and no more than 4,096 bytes of JSON
 * (ruling R5). `count` goes on. A path that was added before is not added again.
 */
export class PathList {
  private readonly seen = new Set<string>();
  private readonly listed: string[] = [];
  private full = false;
  private bytes = 0;
  /** Places that were counted elsewhere and whose paths are not known. */
  private readonly uncounted: number;

  constructor(uncounted = 0) {
    this.uncounted = Math.max(0, uncounted);
  }

  /** How many paths were added, listed or not. */
  get count(): number {
    return this.seen.size + this.uncounted;
  }

  get paths(): readonly string[] {
    return this.listed;
  }

  add(path: string): void {
    if (this.seen.has(path)) return;
    this.seen.add(path);
    const bytes = jsonTextBytes(path) + (this.listed.length === 0 ? 0 : 1);
    this.full ||= this.listed.length === MAX_PATHS || this.bytes + bytes > MAX_BYTES;
    if (this.full) return;
    this.listed.push(path);
    this.bytes += bytes;
  }

  /** The list as members of a meta, and `<name>_count` where not all paths are listed. */
  toMeta(name: string): JsonObject {
    return { [name]: [...this.listed], ...(this.isPartial() ? { [`${name}_count`]: this.count } : {}) };
  }

  /** Bytes that `toMeta` adds to the JSON of a meta with an empty list. */
  metaBytes(name: string): number {
    return this.bytes + (this.isPartial() ? `,"${name}_count":${this.count}`.length : 0);
  }

  private isPartial(): boolean {
    return this.count > this.listed.length;
  }
}
