import { LONG_RUN } from './long-runs.js';
import { LONGEST_TAIL } from './trigger-automaton.js';
import { bytes16, type Code, i32, i64, type Local, locals, loopWhile, moduleOf, type WasmFunction, when } from './wasm-module.js';

/** Characters that are read at once. */
export const BLOCK = 8192;
/** What stands before a block is read with it: as far back as a long run may begin. */
export const BEFORE = 32;
/** Bytes in which a run is looked for at once. */
const WINDOW = 64;
/** Parts of a block that are read side by side: the processor looks up one while it waits for another. */
export const LANES = 4;
/** Characters of a lane that are read between two looks at its end. */
const STRIDE = 4;

/** The memory: the block, behind it zeros for the last window; what is found, a list for each lane and one of runs; classes; the table to the end. */
export const TEXT = 0;
export const FIRST = TEXT + BEFORE;
export const FINDS = FIRST + BLOCK + WINDOW;
/** A state and a place for each byte of a lane, and for those of the last that are left over. */
export const FINDS_OF_LANE = 8 * (BLOCK / LANES + LANES * STRIDE);
export const RUNS = FINDS + LANES * FINDS_OF_LANE;
/** Where each list ends. */
export const ENDS = RUNS + 8 * Math.ceil((BEFORE + BLOCK) / LONG_RUN);
export const CLASSES = ENDS + 4 * LANES;
export const TABLE = CLASSES + 512;

/** The state that follows `state` on the byte at `place + offset`. */
const next = (state: Local, place: Local, offset: number): Code =>
  state.set(i32.load(i32.add(state.get, i32.loadHalf(i32.shiftLeft(i32.loadByte(place.get, offset), 1), CLASSES)), TABLE));

/**
 * read(length, state, reporting): reads a block in lanes, each from the state that the characters before it lead to, the first from `state`. States of
 * `reporting` or more are kept with their places. Gives the state behind the block.
 */
function readFunction(): WasmFunction {
  const [length, a, reporting, b, c, d, lane, stop, first, second, third, fourth, end] = locals(13) as Locals13;
  const states = [a, b, c, d];
  const places = [first, second, third, fourth];
  const isReporting = (state: Code): Code => i32.atLeast(state, reporting.get);
  const keep = (n: number, offset: number): Code => {
    const state = (states[n] as Local).get;
    const place = i32.add((places[n] as Local).get, i32.const(offset));
    const endOfList = i32.const(ENDS + 4 * n);
    return when(isReporting(state), [
      end.set(i32.load(endOfList)),
      i32.store(end.get, state),
      i32.store(end.get, place, 4),
      i32.store(endOfList, i32.add(end.get, i32.const(8))),
    ]);
  };
  const readAll = (offset: number): Code[] => [
    ...states.map((state, n) => next(state, places[n] as Local, offset)),
    when(
      isReporting(i32.or(i32.or(a.get, b.get), i32.or(c.get, d.get))),
      states.map((_, n) => keep(n, offset)),
    ),
  ];
  return {
    name: 'read',
    parameters: 3,
    words: 10,
    longs: 0,
    body: [
      lane.set(i32.shiftLeft(i32.shiftRight(length.get, 4), 2)),
      first.set(i32.const(FIRST)),
      ...states.map((_, n) => i32.store(i32.const(ENDS + 4 * n), i32.const(FINDS + n * FINDS_OF_LANE))),
      // The other lanes begin with what stands before them.
      stop.set(i32.add(first.get, lane.get)),
      second.set(i32.subtract(stop.get, i32.const(LONGEST_TAIL - 1))),
      third.set(i32.add(second.get, lane.get)),
      fourth.set(i32.add(third.get, lane.get)),
      loopWhile(
        i32.less(second.get, stop.get),
        ...[b, c, d].map((state, n) => next(state, places[n + 1] as Local, 0)),
        ...[second, third, fourth].map((place) => place.increase(1)),
      ),
      loopWhile(
        i32.less(first.get, stop.get),
        ...Array.from({ length: STRIDE }, (_, offset) => readAll(offset)).flat(),
        ...places.map((place) => place.increase(STRIDE)),
      ),
      stop.set(i32.add(i32.const(FIRST), length.get)),
      loopWhile(i32.less(fourth.get, stop.get), next(d, fourth, 0), keep(3, 0), fourth.increase(1)),
      d.get,
    ],
  };
}

type Locals13 = [Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local];

/** A bit for each of WINDOW bytes from `place` that is a letter or digit of ASCII. */
function lettersAndDigits(place: Local): Code {
  const isIn = (value: Code, from: string, to: string): Code =>
    bytes16.less(bytes16.subtract(value, bytes16.all(from.charCodeAt(0))), bytes16.all(to.charCodeAt(0) - from.charCodeAt(0) + 1));
  const bitsAt = (offset: number): Code => {
    const value = bytes16.load(place.get, offset);
    const lower = bytes16.or(value, bytes16.all(32));
    const bits = bytes16.toBits(bytes16.or(isIn(lower, 'a', 'z'), isIn(value, '0', '9')));
    return i64.shiftLeft(i64.fromI32(bits), offset);
  };
  return [0, 16, 32, 48].map(bitsAt).reduce((all, bits) => i64.or(all, bits));
}

/** runs(length): keeps where each long run starts and ends. Gives where their list ends. */
function runsFunction(): WasmFunction {
  const [length, place, end, bits] = locals(4) as [Local, Local, Local, Local];
  const narrowed = (by: number): Code => bits.set(i64.and(bits.get, i64.shiftRight(bits.get, by)));
  const toLowestBit = place.set(i32.add(place.get, i32.fromI64(i64.lowestBit(bits.get))));
  const others = bits.set(i64.not(lettersAndDigits(place)));
  return {
    name: 'runs',
    parameters: 1,
    words: 2,
    longs: 1,
    body: [
      place.set(i32.const(TEXT)),
      end.set(i32.const(RUNS)),
      loopWhile(
        i32.less(place.get, i32.add(i32.const(FIRST), length.get)),
        bits.set(lettersAndDigits(place)),
        // A bit stays where as many follow: 2, 4, 8, 16, 20.
        ...[1, 2, 4, 8, LONG_RUN - 16].map(narrowed),
        when(
          i64.isZero(bits.get),
          [place.increase(WINDOW - LONG_RUN)],
          [
            toLowestBit,
            i32.store(end.get, place.get),
            place.increase(LONG_RUN),
            others,
            loopWhile(i64.isZero(bits.get), place.increase(WINDOW), others),
            toLowestBit,
            i32.store(end.get, place.get, 4),
            end.increase(8),
          ],
        ),
      ),
      end.get,
    ],
  };
}

/** The program of the scan. */
export const scanProgram = (): Uint8Array<ArrayBuffer> => moduleOf([readFunction(), runsFunction()]);
