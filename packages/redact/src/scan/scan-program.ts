import { ByteClasses } from './byte-classes.js';
import { LONG_RUN } from './long-runs.js';
import { UNIT } from './trigger-automaton.js';
import {
  bytes16,
  type Code,
  i32,
  i64,
  type Local,
  locals,
  loopWhile,
  moduleOf,
  type WasmFunction,
  when,
} from './wasm-module.js';

/** Characters that are read at once. */
export const BLOCK = 16_384;
/** What stands before a block is read with it: as far back as a long run may begin. */
export const BEFORE = 32;
/** Parts of a block that are read side by side: the processor looks up one while it waits for the others. */
const LANES = 8;
/** Characters of a lane that are classified at once, and then read. */
export const STRIDE = 16;
/** Bits in which a run is looked for. */
const WINDOW = 64;
/**
 * Bits from one such look to the next: every run of LONG_RUN lies in a window, of which a look has
 * 57 bits at least.
 */
const FORWARD = 38;
/** More bytes than are read behind a block, so that its lanes are of whole strides and equally long. */
export const FILLED = 2 * LANES * STRIDE;
const FILLING = 255;

/**
 * The memory: twice the classes of a stride of each lane and the states that they led to, and once
 * more those of the next or the last; what stands before a block, the block, and what fills it up;
 * a bit for each byte that is a letter or digit, and zeros behind them for the last window; what is
 * found, a list for each lane and one of runs; where each list ends; the table to the end.
 */
const CLASSES = 0;
const STATES = CLASSES + LANES * STRIDE;
const OF_STRIDE = STATES + 2 * LANES * STRIDE;
export const TEXT = 2 * OF_STRIDE;
export const FIRST = TEXT + BEFORE;
const BITS = FIRST + BLOCK + FILLED;
/** The bits of a place stand here and an eighth of the place on. */
const BITS_OF = BITS - TEXT / 8;
export const FINDS = BITS + (BITS - TEXT) / 8 + WINDOW / 8;
/** A state and a place for each byte of a lane. */
const FINDS_OF_LANE = 8 * (BLOCK / LANES + STRIDE);
export const RUNS = FINDS + LANES * FINDS_OF_LANE;
const ENDS = RUNS + 8 * Math.ceil((BEFORE + BLOCK) / LONG_RUN);
export const TABLE = ENDS + 4 * LANES;

type NamedLocals = [Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local];

/**
 * Classifies the bytes at a place, keeps twice their classes for the steps of a lane, and notes
 * which are letters or digits.
 */
const classify = (classes: ByteClasses, place: Code, to: Code, lane = 0): Code => [
  classes.read(place),
  bytes16.store(to, classes.twice, CLASSES + lane * STRIDE),
  i32.storeHalf(i32.shiftRight(place, 3), classes.bits, BITS_OF),
];

/** The state of a lane that follows on its n-th class. */
function step(state: Local, turn: Local, lane: number, n: number): Code {
  const twiceClass = i32.loadByte(turn.get, CLASSES + lane * STRIDE + n);
  return state.set(i32.loadHalf(i32.add(i32.shiftLeft(state.get, Math.log2(2 * UNIT)), twiceClass), TABLE));
}

/** Variables of `read`, without the states of its lanes. */
interface ReadLocals {
  /** The place of the first lane, and how far each of the others is from the one before. */
  readonly place: Local;
  readonly lane: Local;
  readonly at: Local;
  readonly to: Local;
  /** 0 or OF_STRIDE: where the classes and states of this stride are, and those of the next and of the last. */
  readonly turn: Local;
  readonly other: Local;
  readonly bit: Local;
  readonly list: Local;
  readonly end: Local;
  readonly bits: Local;
  readonly classes: ByteClasses;
}

/**
 * Keeps the states of the last stride that report, and their places a stride further on: of half of
 * the lanes, from `first` on.
 */
function keepFinds({ place, lane, other, bit, list, end, bits }: ReadLocals, first: number): Code[] {
  const states = STATES + 2 * STRIDE * first;
  const loaded = (n: number): Code => bytes16.load(other.get, states + 16 * n);
  const reporting = (n: number): Code =>
    i64.fromI32(bytes16.bitmask(bytes16.narrowU(loaded(2 * n), loaded(2 * n + 1))));
  const bitsOf = (lanes: number): Code =>
    lanes === 1 ? reporting(0) : i64.or(bitsOf(lanes - 1), i64.shiftLeft(reporting(lanes - 1), STRIDE * (lanes - 1)));
  const laneOfBit = i32.add(i32.shiftRight(bit.get, Math.log2(STRIDE)), i32.const(first));
  const placeOfBit = i32.add(
    i32.add(place.get, i32.multiply(laneOfBit, lane.get)),
    i32.and(bit.get, i32.const(STRIDE - 1)),
  );
  return [
    bits.set(bitsOf(LANES / 2)),
    loopWhile(
      i32.not(i64.isZero(bits.get)),
      bit.set(i32.fromI64(i64.lowestBit(bits.get))),
      bits.set(i64.withoutLowestBit(bits.get)),
      list.set(i32.shiftLeft(laneOfBit, 2)),
      end.set(i32.load(list.get, ENDS)),
      i32.store(end.get, i32.loadHalf(i32.add(i32.shiftLeft(bit.get, 1), other.get), states)),
      i32.store(end.get, placeOfBit, 4),
      i32.store(list.get, i32.add(end.get, i32.const(8)), ENDS),
    ),
  ];
}

/** Moves the lists of the lanes behind the first, in the order of the text: `end` is then where that ends. */
const joinFinds = ({ at, to, list, end }: ReadLocals): Code[] => [
  end.set(i32.load(i32.const(ENDS))),
  list.set(i32.const(1)),
  loopWhile(
    i32.less(list.get, i32.const(LANES)),
    at.set(i32.add(i32.multiply(list.get, i32.const(FINDS_OF_LANE)), i32.const(FINDS))),
    to.set(i32.load(i32.shiftLeft(list.get, 2), ENDS)),
    loopWhile(i32.less(at.get, to.get), i64.store(end.get, i64.load(at.get)), at.addTo(8), end.addTo(8)),
    list.addTo(1),
  ),
];

/**
 * The classes of the stride before each lane: read first, from any state, they lead to its own,
 * since they are more than the automaton knows of.
 */
const classifyBefore = ({ place, lane, at, to, classes }: ReadLocals): Code[] => [
  classify(classes, i32.const(TEXT), i32.const(0)),
  place.set(i32.const(FIRST - STRIDE)),
  at.set(place.get),
  to.set(i32.const(0)),
  loopWhile(
    i32.less(to.get, i32.const(LANES * STRIDE)),
    classify(classes, at.get, to.get),
    at.set(i32.add(at.get, lane.get)),
    to.addTo(STRIDE),
  ),
];

/**
 * Reads a stride of each lane. The next is classified meanwhile, a lane after two steps: the steps
 * wait for memory, this for nothing, and the processor does both at once.
 */
function readStride(variables: ReadLocals, states: readonly Local[]): Code[] {
  const { place, lane, at, turn, other, classes } = variables;
  const stepOfAll = (n: number): Code => states.map((state, l) => step(state, turn, l, n));
  const keepAll = (n: number): Code =>
    states.map((state, l) => i32.storeHalf(turn.get, state.get, STATES + 2 * (l * STRIDE + n)));
  const classifyNext = (l: number): Code => [
    classify(classes, at.get, other.get, l),
    at.set(i32.add(at.get, lane.get)),
  ];
  return [
    at.set(i32.add(place.get, i32.const(STRIDE))),
    ...Array.from({ length: STRIDE }, (_, n) => [
      stepOfAll(n),
      keepAll(n),
      n % 2 === 1 ? classifyNext(n >> 1) : [],
    ]).flat(),
  ];
}

/**
 * read(length): reads a block in lanes, each from the state that what stands before it leads to.
 * Gives where the list of finds ends: states that report, and their places a stride further on, as
 * far as the block is filled up. The states of a stride are tested when the next is read, so that a
 * mispredicted branch costs a few instructions only.
 */
function readFunction(): WasmFunction {
  const [length, stop, place, lane, at, to, turn, other, bit, list, end, ...others] = locals(11 + LANES + 2) as [
    ...NamedLocals,
    ...Local[],
  ];
  const [bits, value] = others.slice(LANES) as [Local, Local];
  const classes = new ByteClasses(value, 11 + LANES + 2);
  const variables = { place, lane, at, to, turn, other, bit, list, end, bits, classes };
  const strides = i32.shiftRight(i32.add(length.get, i32.const(LANES * STRIDE - 1)), Math.log2(LANES * STRIDE));
  const body = [
    lane.set(i32.shiftLeft(strides, Math.log2(STRIDE))),
    stop.set(i32.add(lane.get, i32.const(FIRST))),
    i64.store(lane.get, i64.const(0), BITS_OF + FIRST / 8),
    // The last lane, and a stride behind it that is classified and not read.
    ...Array.from({ length: LANES + 1 }, (_, n) => bytes16.store(length.get, bytes16.all(FILLING), FIRST + n * STRIDE)),
    ...Array.from({ length: LANES }, (_, n) => i32.store(i32.const(ENDS), i32.const(FINDS + n * FINDS_OF_LANE), 4 * n)),
    ...classifyBefore(variables),
    loopWhile(
      i32.atLeast(stop.get, place.get),
      other.set(i32.xor(turn.get, i32.const(OF_STRIDE))),
      // Once more than there are strides, for the states of the last.
      when(i32.less(place.get, stop.get), readStride(variables, others.slice(0, LANES))),
      when(i32.less(i32.const(FIRST), place.get), keepFinds(variables, 0).concat(keepFinds(variables, LANES / 2))),
      place.addTo(STRIDE),
      turn.set(other.get),
    ),
    ...joinFinds(variables),
    end.get,
  ];
  return {
    name: 'read',
    parameters: 1,
    words: 10 + LANES,
    longs: 1,
    vectors: 1 + classes.vectors,
    body: [classes.prologue, body],
  };
}

/** runs(length): keeps where each long run of a classified block starts and ends. Gives where their list ends. */
function runsFunction(): WasmFunction {
  const [length, place, end, bits] = locals(4) as [Local, Local, Local, Local];
  // Loaded from where a byte of bits begins; those before `place` are shifted out, and zeros in.
  const fromPlace = (window: Code): Code => i64.shiftRightBy(window, i64.fromI32(i32.and(place.get, i32.const(7))));
  const window = i64.load(i32.shiftRight(place.get, 3), BITS_OF);
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
          [place.addTo(FORWARD)],
          [
            toLowestBit,
            i32.store(end.get, place.get),
            place.addTo(LONG_RUN),
            others,
            loopWhile(i64.isZero(bits.get), place.addTo(FORWARD), others),
            toLowestBit,
            i32.store(end.get, place.get, 4),
            end.addTo(8),
          ],
        ),
      ),
      end.get,
    ],
  };
}

/** The program of the scan. */
export const scanProgram = (): Uint8Array<ArrayBuffer> => moduleOf([readFunction(), runsFunction()]);
