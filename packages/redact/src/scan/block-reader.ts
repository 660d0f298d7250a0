import { BEFORE, BLOCK, FILLED, FINDS, FIRST, RUNS, STRIDE, scanProgram, TABLE } from './scan-program.js';
import type { TriggerAutomaton } from './trigger-automaton.js';

/** Shorter texts are read character by character: filling a block costs a call. */
export const WORTH_A_BLOCK = 128;
const PAGE = 65_536;

/** What the last block of a text held. */
export class BlockFinds {
  /**
   * States that report and the place behind the character that led there, in the order of the text:
   * `count` numbers.
   */
  finds = new Int32Array(64);
  count = 0;
  /** Where each long run starts and ends, as far as the block goes and a little before it. */
  readonly runs: number[] = [];
}

/**
 * Reads blocks of texts as bytes, the low half of each character's code: what is found may be other
 * characters with the same low half.
 */
export interface BlockReader {
  /** The automaton's, as it lies in the program's memory: it need not be kept twice. */
  readonly table: Uint16Array;
  /**
   * Reads from `from` to `to`, BLOCK characters at most, WORTH_A_BLOCK at least, and what stands
   * before them with them.
   */
  read(text: string, from: number, to: number, found: BlockFinds): void;
  /** Forgets what was read: no secret stays in memory that is kept for the next text. */
  wipe(): void;
}

interface Program {
  read(length: number): number;
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
/**
 * No room for one more memory; a program that may not be compiled here, or with instructions that
 * are not known. By name: each realm has its own.
 */
const REFUSALS = new Set(['RangeError', 'CompileError']);

/**
 * Undefined where this process cannot run the program (`--jitless`), must not, or has had no room
 * for one more memory.
 */
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
  /** How far the memory holds characters, or what was made of them. */
  private used = 0;

  constructor(buffer: ArrayBuffer, program: Program, { table }: TriggerAutomaton) {
    this.table = new Uint16Array(buffer, TABLE, table.length);
    this.table.set(table);
    this.bytes = Buffer.from(buffer, 0, FIRST + BLOCK + FILLED);
    this.words = new Int32Array(buffer, 0, TABLE >> 2);
    this.program = program;
  }

  read(text: string, from: number, to: number, found: BlockFinds): void {
    const { bytes, words, program } = this;
    // A text that is read while another waits begins with nothing before it.
    if (from === 0 && this.used > 0) this.wipe();
    const length = to - from;
    const before = Math.min(from, BEFORE);
    this.used = Math.max(this.used, FIRST + length + FILLED);
    bytes.write(length === text.length ? text : text.slice(from - before, to), FIRST - before, 'latin1');
    const stop = program.read(length) >> 2;
    copyFinds(words, stop, from - FIRST - STRIDE + 1, to, found);
    const stopOfRuns = program.runs(length) >> 2;
    found.runs.length = 0;
    for (let at = RUNS >> 2; at < stopOfRuns; at += 1) found.runs.push((words[at] as number) + from - FIRST);
  }

  wipe(): void {
    this.bytes.fill(0, 0, this.used);
    this.used = 0;
  }
}

/** Takes the finds up to `to` out of the memory, which another text may need meanwhile. */
function copyFinds(words: Int32Array, stop: number, shift: number, to: number, found: BlockFinds): void {
  const start = FINDS >> 2;
  if (stop - start > found.finds.length) found.finds = new Int32Array(2 * (stop - start));
  const { finds } = found;
  let count = 0;
  for (let at = start; at < stop; at += 2) {
    const end = (words[at + 1] as number) + shift;
    if (end > to) break;
    finds[count] = words[at] as number;
    finds[count + 1] = end;
    count += 2;
  }
  found.count = count;
}
