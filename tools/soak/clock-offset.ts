// A host clock that is wrong. For PostgreSQL each worker has an offset of its own: libfaketime
// where it is installed, else a `Date` that is shifted here. One host has one clock, so on SQLite
// all processes, the enqueuer's too, read one offset from a file, and the nemesis steps it.
import { existsSync, openSync, readSync, writeFileSync } from 'node:fs';

const usualPlaces = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (arch) => `/usr/lib/${arch}/faketime/libfaketime.so.1`,
);

/** The library's path, or undefined where Dates are shifted instead. */
export function findFaketime(): string | undefined {
  return usualPlaces.find((file) => existsSync(file));
}

/** The environment of a process whose wall clock is off while its timers are right. */
export function faketimeEnvironment(library: string, offsetMs: number): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: library,
    FAKETIME: `${offsetMs < 0 ? '-' : '+'}${Math.abs(offsetMs) / 1_000}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** From here on `Date` of this process is off by what `offsetMs` says at each look. Gives what ends it. */
export function shiftDate(offsetMs: () => number): () => void {
  const RealDate = Date;
  class ShiftedDate extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(RealDate.now() + offsetMs());
      else super(...(given as [number]));
    }
    static override now(): number {
      return RealDate.now() + offsetMs();
    }
  }
  globalThis.Date = ShiftedDate as DateConstructor;
  return () => {
    globalThis.Date = RealDate;
  };
}

export function writeOffsetFile(file: string, offsetMs: number): void {
  // One length, one write, nothing cut off first: a reader never sees half of it, nor none.
  writeFileSync(file, String(offsetMs).padEnd(16), { flag: existsSync(file) ? 'r+' : 'w' });
}

/** Reads the offset anew at each call: every process of the host sees a step at the same instant. */
export function readOffsetFile(file: string): () => number {
  const fd = openSync(file, 'r');
  const bytes = Buffer.alloc(16);
  return () => {
    readSync(fd, bytes, 0, 16, 0);
    return Number(bytes.toString('latin1'));
  };
}
