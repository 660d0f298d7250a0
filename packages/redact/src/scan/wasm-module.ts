/**
 * WebAssembly written down as what it does: each function below gives the bytes of one instruction
 * or expression, operands first. No more than the scan's program needs (WebAssembly Core
 * Specification 2.0, chapter 5).
 */
export type Code = readonly Part[];
type Part = number | Code | Sized;

/** Code that stands behind the number of its bytes. */
class Sized {
  readonly code: Code;

  constructor(code: Code) {
    this.code = code;
  }
}

/** Bytes of a size: as many for every size, so that it can be put before the code once that is written. */
const SIZE_BYTES = 5;

/** Writes code into `bytes`, each byte once: this runs before the first text is read. */
function write(code: Code, bytes: number[]): void {
  for (let i = 0; i < code.length; i += 1) {
    const part = code[i] as Part;
    if (typeof part === 'number') bytes.push(part);
    else if (part instanceof Sized) writeSized(part, bytes);
    else write(part, bytes);
  }
}

function writeSized({ code }: Sized, bytes: number[]): void {
  const at = bytes.length;
  for (let i = 0; i < SIZE_BYTES; i += 1) bytes.push(0);
  write(code, bytes);
  const size = bytes.length - at - SIZE_BYTES;
  for (let i = 0; i < SIZE_BYTES; i += 1) bytes[at + i] = ((size >>> (7 * i)) & 127) | (i < SIZE_BYTES - 1 ? 128 : 0);
}

/** A number as LEB128: seven bits a byte, the lowest first. */
function unsigned(value: number): Part {
  return value < 128 ? value : [(value & 127) | 128, unsigned(value >>> 7)];
}

function signed(value: number): Part {
  return value >= -64 && value < 64 ? value & 127 : [(value & 127) | 128, signed(value >> 7)];
}

const listed = (items: readonly Part[]): Code => [unsigned(items.length), items];
const named = (name: string): Part => new Sized([...Buffer.from(name)]);
const vector = (operation: number): Code => [0xfd, unsigned(operation)];

const I32 = 0x7f;
const I64 = 0x7e;
const V128 = 0x7b;
const NO_RESULT = 0x40;

/** 32-bit numbers, all of them unsigned. */
export const i32 = {
  const: (value: number): Code => [0x41, signed(value)],
  load: (address: Code, offset = 0): Code => [address, 0x28, 2, unsigned(offset)],
  loadByte: (address: Code, offset = 0): Code => [address, 0x2d, 0, unsigned(offset)],
  loadHalf: (address: Code, offset = 0): Code => [address, 0x2f, 1, unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [address, value, 0x36, 2, unsigned(offset)],
  storeHalf: (address: Code, value: Code, offset = 0): Code => [address, value, 0x3b, 1, unsigned(offset)],
  less: (a: Code, b: Code): Code => [a, b, 0x49],
  atLeast: (a: Code, b: Code): Code => [a, b, 0x4f],
  add: (a: Code, b: Code): Code => [a, b, 0x6a],
  subtract: (a: Code, b: Code): Code => [a, b, 0x6b],
  multiply: (a: Code, b: Code): Code => [a, b, 0x6c],
  and: (a: Code, b: Code): Code => [a, b, 0x71],
  or: (a: Code, b: Code): Code => [a, b, 0x72],
  xor: (a: Code, b: Code): Code => [a, b, 0x73],
  shiftLeft: (a: Code, bits: number): Code => [a, i32.const(bits), 0x74],
  shiftRight: (a: Code, bits: number): Code => [a, i32.const(bits), 0x76],
  not: (a: Code): Code => [a, 0x45],
  fromI64: (a: Code): Code => [a, 0xa7],
};

/** 64-bit numbers as sets of bits. */
export const i64 = {
  const: (value: number): Code => [0x42, signed(value)],
  load: (address: Code, offset = 0): Code => [address, 0x29, 0, unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [address, value, 0x37, 0, unsigned(offset)],
  fromI32: (a: Code): Code => [a, 0xad],
  or: (a: Code, b: Code): Code => [a, b, 0x84],
  and: (a: Code, b: Code): Code => [a, b, 0x83],
  shiftLeft: (a: Code, bits: number): Code => [a, i64.const(bits), 0x86],
  shiftRight: (a: Code, bits: number): Code => i64.shiftRightBy(a, i64.const(bits)),
  shiftRightBy: (a: Code, bits: Code): Code => [a, bits, 0x88],
  lowestBit: (a: Code): Code => [a, 0x7a],
  withoutLowestBit: (a: Code): Code => i64.and(a, [a, i64.const(1), 0x7d]),
  not: (a: Code): Code => [a, i64.const(-1), 0x85],
  isZero: (a: Code): Code => [a, 0x50],
};

/** Sixteen bytes at once, unsigned unless it says so. */
export const bytes16 = {
  load: (address: Code, offset = 0): Code => [address, vector(0), 0, unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [address, value, vector(11), 0, unsigned(offset)],
  all: (byte: number): Code => [vector(12), new Array<number>(16).fill(byte)],
  /** All bits of a byte that is so, none of another: of bytes with a sign. */
  greater: (a: Code, b: Code): Code => [a, b, vector(39)],
  and: (a: Code, b: Code): Code => [a, b, vector(78)],
  or: (a: Code, b: Code): Code => [a, b, vector(80)],
  add: (a: Code, b: Code): Code => [a, b, vector(110)],
  subtract: (a: Code, b: Code): Code => [a, b, vector(113)],
  /** Zero where `b` is greater. */
  subSatU: (a: Code, b: Code): Code => [a, b, vector(115)],
  minU: (a: Code, b: Code): Code => [a, b, vector(119)],
  maxU: (a: Code, b: Code): Code => [a, b, vector(121)],
  /** The bytes of halves, first those of `a`: each has the highest bit of its half. */
  narrowU: (a: Code, b: Code): Code => [a, b, vector(101)],
  /** A bit for each byte, from its highest. */
  bitmask: (a: Code): Code => [a, vector(100)],
};

/** A variable of a function. */
export class Local {
  readonly get: Code;
  private readonly index: number;

  constructor(index: number) {
    this.index = index;
    this.get = [0x20, unsigned(index)];
  }

  set(value: Code): Code {
    return [value, 0x21, unsigned(this.index)];
  }

  addTo(by: number): Code {
    return this.set(i32.add(this.get, i32.const(by)));
  }
}

/** Repeats `body` while `condition` holds; tests it before each round. */
export const loopWhile = (condition: Code, ...body: readonly Code[]): Code => [
  [0x02, NO_RESULT, 0x03, NO_RESULT],
  [i32.not(condition), 0x0d, 1],
  body,
  [0x0c, 0, 0x0b, 0x0b],
];

export const when = (condition: Code, body: readonly Code[], otherwise: readonly Code[] = []): Code => [
  condition,
  [0x04, NO_RESULT, body],
  [0x05, otherwise, 0x0b],
];

/** A function that takes and gives 32-bit numbers. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  readonly words: number;
  readonly longs: number;
  readonly vectors: number;
  readonly body: Code;
}

/** Numbers the variables of a function: its parameters, then 32-bit ones, 64-bit ones, those of sixteen bytes. */
export function locals(count: number): Local[] {
  return Array.from({ length: count }, (_, index) => new Local(index));
}

/** The module of some functions over one memory, which it imports as `scan.memory`. */
export function moduleOf(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const section = (id: number, items: readonly Part[]): Code => [id, new Sized(listed(items))];
  const typeOf = ({ parameters }: WasmFunction): Code => [
    0x60,
    listed(new Array<Code>(parameters).fill([I32])),
    1,
    I32,
  ];
  const codeOf = ({ words, longs, vectors, body }: WasmFunction): Part =>
    new Sized([
      listed([
        [unsigned(words), I32],
        [unsigned(longs), I64],
        [unsigned(vectors), V128],
      ]),
      body,
      0x0b,
    ]);
  const module = [
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, functions.map(typeOf)),
    section(2, [[named('scan'), named('memory'), 2, 0, 1]]),
    section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    section(
      7,
      functions.map(({ name }, index) => [named(name), 0, unsigned(index)]),
    ),
    section(10, functions.map(codeOf)),
  ];
  const bytes: number[] = [];
  write(module, bytes);
  return Uint8Array.from(bytes);
}
