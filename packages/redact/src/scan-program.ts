import { LONG_RUN } from './long-runs.js';
import { CLASS_OF, LETTERS_BACK, REPORTING, UNIT, WIDTH } from './trigger-automaton.js';
import { bytes16, type Code, i32, i64, type Local, locals, loopWhile, moduleOf, type WasmFunction, when } from './wasm-module.js';

/** Characters that are read at once. */
export const BLOCK = 8192;
/** What stands before a block is read with it: as far back as a long run may begin. */
export const BEFORE = 32;
/** Bytes that are classified at once, and in which a run is looked for. */
const WINDOW = 64;
/** Bits from one such look to the next: every run of LONG_RUN lies in a window, of which a look has 57 bits at least. */
const FORWARD = 38;
/** Parts of a block that are read side by side: the processor looks up one while it waits for another. */
export const LANES = 4;
/** Characters of a lane that are read between two looks at its end. */
const STRIDE = 4;

/**
 * The memory: the block, its bytes replaced by twice their class, zeros behind it for the last window; a bit for each byte that is a letter or digit;
 * what is found, a list for each lane and one of runs; where each list ends; the table to the end.
 */
export const TEXT = 0;
export const FIRST = TEXT + BEFORE;
const BITS = FIRST + BLOCK + WINDOW;
/** With as many zeros behind them as a window has bits. */
export const FINDS = BITS + (BITS - TEXT) / 8 + WINDOW / 8;
/** A state and a place for each byte of a lane, and for those of the last that are left over. */
export const FINDS_OF_LANE = 8 * (BLOCK / LANES + LANES * STRIDE);
export const RUNS = FINDS + LANES * FINDS_OF_LANE;
export const ENDS = RUNS + 8 * Math.ceil((BEFORE + BLOCK) / LONG_RUN);
export const TABLE = ENDS + 4 * LANES;

type Locals13 = [Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local];

/** classify(length): replaces each byte of a block, and of what stands before it, by twice its class (CLASS_OF), and notes the letters and digits. */
function classifyFunction(): WasmFunction {
  const [length, place, bit, bits, value] = locals(5) as [Local, Local, Local, Local, Local];
  const { all, and, or, add, subtract, subtractToZero, atMost, atLeast, least, most } = bytes16;
  const isIn = (from: number, to: number): Code => atMost(subtract(value.get, all(from)), all(to - from));
  const classOf = (character: string): number => CLASS_OF[character.charCodeAt(0)] as number;
  const classify = (offset: number): Code => [
    value.set(bytes16.load(place.get, offset)),
    value.set(or(value.get, and(isIn(65, 90), all(32)))),
    value.set(subtract(value.get, and(atLeast(value.get, all(91)), all(LETTERS_BACK)))),
    value.set(least(most(least(value.get, all(1)), subtractToZero(value.get, all(30))), all(WIDTH - 1))),
    bytes16.store(place.get, add(value.get, value.get), offset),
    bits.set(
      i64.or(
        bits.get,
        i64.shiftLeft(i64.fromI32(bytes16.toBits(or(isIn(classOf('0'), classOf('9')), isIn(classOf('a'), classOf('z'))))), offset),
      ),
    ),
  ];
  return {
    name: 'classify',
    parameters: 1,
    words: 2,
    longs: 1,
    vectors: 1,
    body: [
      place.set(i32.const(TEXT)),
      bit.set(i32.const(BITS)),
      loopWhile(
        i32.less(place.get, i32.add(i32.const(FIRST), length.get)),
        bits.set(i64.const(0)),
        [0, 16, 32, 48].map(classify),
        i64.store(bit.get, bits.get),
        place.increase(WINDOW),
        bit.increase(WINDOW / 8),
      ),
      i64.store(bit.get, i64.const(0)),
      bit.get,
    ],
  };
}

/** The state that follows `state` on the byte at `place + offset`. */
const next = (state: Local, place: Local, offset: number): Code =>
  state.set(i32.loadHalf(i32.add(i32.shiftLeft(state.get, Math.log2(2 * UNIT)), i32.loadByte(place.get, offset)), TABLE));

/**
 * read(length, state, before): reads a classified block in lanes, each from the state that the `before` characters before it lead to, the first from
 * `state`. States that report are kept with their places. Gives the state behind the block.
 */
function readFunction(): WasmFunction {
  const [length, a, before, b, c, d, lane, stop, first, second, third, fourth, end] = locals(13) as Locals13;
  const states = [a, b, c, d];
  const places = [first, second, third, fourth];
  const isReporting = (state: Code): Code => i32.and(state, i32.const(REPORTING));
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
    vectors: 0,
    body: [
      lane.set(i32.shiftLeft(i32.shiftRight(length.get, 4), 2)),
      first.set(i32.const(FIRST)),
      ...states.map((_, n) => i32.store(i32.const(ENDS + 4 * n), i32.const(FINDS + n * FINDS_OF_LANE))),
      // The other lanes begin with what stands before them.
      stop.set(i32.add(first.get, lane.get)),
      second.set(i32.subtract(stop.get, before.get)),
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

/** runs(length): keeps where each long run of a classified block starts and ends. Gives where their list ends. */
function runsFunction(): WasmFunction {
  const [length, place, end, bits] = locals(4) as [Local, Local, Local, Local];
  // Loaded from where a byte of bits begins; those before `place` are shifted out, and zeros in.
  const fromPlace = (window: Code): Code => i64.shiftRightBy(window, i64.fromI32(i32.and(place.get, i32.const(7))));
  const window = i64.load(i32.shiftRight(place.get, 3), BITS);
  const others = bits.set(fromPlace(i64.not(window)));
  const narrowed = (by: number): Code => bits.set(i64.and(bits.get, i64.shiftRight(bits.get, by)));
  const toLowestBit = place.set(i32.add(place.get, i32.fromI64(i64.lowestBit(bits.get))));
  return {
    name: 'runs',
    parameters: 1,
    words: 2,
    longs: 1,
    vectors: 0,
    body: [
      place.set(i32.const(TEXT)),
      end.set(i32.const(RUNS)),
      loopWhile(
        i32.less(place.get, i32.add(i32.const(FIRST), length.get)),
        bits.set(fromPlace(window)),
        // A bit stays where as many follow: 2, 4, 8, 16, 20.
        ...[1, 2, 4, 8, LONG_RUN - 16].map(narrowed),
        when(
          i64.isZero(bits.get),
          [place.increase(FORWARD)],
          [
            toLowestBit,
            i32.store(end.get, place.get),
            place.increase(LONG_RUN),
            others,
            loopWhile(i64.isZero(bits.get), place.increase(FORWARD), others),
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
export const scanProgram = (): Uint8Array<ArrayBuffer> => moduleOf([classifyFunction(), readFunction(), runsFunction()]);
