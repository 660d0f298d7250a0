import { BEFORE, ENDS, FINDS, FINDS_OF_LANE, FIRST, LANES, RUNS, scanProgram, TABLE, TEXT } from './scan-program.js';
import type { TriggerAutomaton } from './trigger-automaton.js';

/** Shorter texts are read character by character: filling a block costs a call, and no lane may be shorter than what is read before it. */
export const WORTH_A_BLOCK = 128;
const PAGE = 65_536;

/** What the last block of a text held. */
export class BlockFinds {
  /** The state behind the block. */
  state = 0;
  /** States that report and the place behind the character that led there, in the order of the text: `count` numbers. */
  finds = new Int32Array(64);
  count = 0;
  /** Where each long run starts and ends, as far as the block goes and a little before it. */
  runs: number[] = [];
}

/** Reads blocks of texts as bytes, the low half of each character's code: what is found may be other characters with the same low half. */
export interface BlockReader {
  /** The automaton's, as it lies in the program's memory: it need not be kept twice. */
  readonly table: Uint16Array;
  /** Reads from `from` to `to`, BLOCK characters at most, WORTH_A_BLOCK at least, and goes on from the state of the block before. */
  read(text: string, from: number, to: number, found: BlockFinds): void;
  /** Forgets what was read: no secret stays in memory that is kept for the next text. */
  wipe(): void;
}

interface Program {
  classify(length: number): number;
  read(length: number, state: number, before: number): number;
  runs(length: number): number;
}

/** As far as it is used here: the types of Node name none of its values. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: unknown };
}

const wasm = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
let compiled: object | undefined;
/** Once is enough: before V8 refuses a memory it collects garbage again and again, ten times what a redactor costs. */
let isRefused = false;
/** No room for one more memory; a program that may not be compiled here, or with instructions that are not known. By name: each realm has its own. */
const REFUSALS = new Set(['RangeError', 'CompileError']);

/** Undefined where this process cannot run the program (`--jitless`), must not, or has had no room for one more memory. */
export function createBlockReader(automaton: TriggerAutomaton): BlockReader | undefined {
  if (wasm === undefined || isRefused) return undefined;
  const pages = Math.ceil((TABLE + automaton.table.byteLength) / PAGE);
  try {
    compiled ??= new wasm.Module(scanProgram());
    const memory = new wasm.Memory({ initial: pages, maximum: pages });
    const { exports } = new wasm.Instance(compiled, { scan: { memory } });
    return new WasmBlockReader(memory.buffer, exports as Program, automaton);
  } catch (cause) {
    isRefused = REFUSALS.has((cause as Error).name);
    if (isRefused) return undefined;
    throw cause;
  }
}

class WasmBlockReader implements BlockReader {
  readonly table: Uint16Array;
  private readonly bytes: Buffer;
  private readonly words: Int32Array;
  private readonly program: Program;
  private readonly tail: number;
  /** How far the memory holds characters. */
  private used = 0;

  constructor(buffer: ArrayBuffer, program: Program, { table, tail }: TriggerAutomaton) {
    this.table = new Uint16Array(buffer, TABLE, table.length);
    this.table.set(table);
    this.bytes = Buffer.from(buffer, TEXT, FINDS - TEXT);
    this.words = new Int32Array(buffer, 0, TABLE >> 2);
    this.program = program;
    this.tail = tail;
  }

  read(text: string, from: number, to: number, found: BlockFinds): void {
    const { bytes, words, program } = this;
    // A text that is read while another waits begins with nothing before it.
    if (from === 0 && this.used > 0) this.wipe();
    const length = to - from;
    const before = Math.min(from, BEFORE);
    const end = FIRST + length;
    if (end < this.used) bytes.fill(0, end, this.used);
    this.used = end;
    bytes.write(length === text.length ? text : text.slice(from - before, to), FIRST - before, 'latin1');
    program.classify(length);
    found.state = program.read(length, found.state, this.tail - 1);
    const shift = from - FIRST;
    found.count = 0;
    for (let lane = 0; lane < LANES; lane += 1) this.copyFinds(lane, shift + 1, found);
    found.runs = [];
    const stop = program.runs(length) >> 2;
    for (let at = RUNS >> 2; at < stop; at += 1) found.runs.push((words[at] as number) + shift);
  }

  private copyFinds(lane: number, shift: number, found: BlockFinds): void {
    const { words } = this;
    const start = (FINDS + lane * FINDS_OF_LANE) >> 2;
    const stop = (words[(ENDS >> 2) + lane] as number) >> 2;
    let { count, finds } = found;
    if (count + stop - start > finds.length) {
      const grown = new Int32Array(2 * (count + stop - start));
      grown.set(finds);
      found.finds = grown;
      finds = grown;
    }
    for (let at = start; at < stop; at += 2) {
      finds[count] = words[at] as number;
      finds[count + 1] = (words[at + 1] as number) + shift;
      count += 2;
    }
    found.count = count;
  }

  wipe(): void {
    this.bytes.fill(0, 0, this.used);
    this.used = 0;
  }
}
