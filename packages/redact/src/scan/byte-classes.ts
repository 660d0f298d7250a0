import { CLASS_OF, LETTERS_BACK, WIDTH } from './trigger-automaton.js';
import { bytes16, type Code, Local } from './wasm-module.js';

const classOf = (character: string): number => CLASS_OF[character.charCodeAt(0)] as number;

/**
 * The classes (CLASS_OF) of sixteen bytes, as a program finds them. Vectors of one byte stand in
 * variables from `free` on: some versions of V8 would make them anew for each use.
 */
export class ByteClasses {
  private readonly made = new Map<number, Local>();
  private readonly value: Local;
  private readonly free: number;

  /** @param value - Holds the bytes, then their classes. */
  constructor(value: Local, free: number) {
    this.value = value;
    this.free = free;
  }

  /** How many variables were taken, and what is to be done before all else. */
  get vectors(): number {
    return this.made.size;
  }

  get prologue(): Code {
    return [...this.made].map(([byte, variable]) => variable.set(bytes16.all(byte)));
  }

  /** Classifies the bytes at a place. */
  read(place: Code): Code {
    const { value } = this;
    const { and, greater, minU, maxU, or, subtract, subSatU } = bytes16;
    return [
      value.set(bytes16.load(place)),
      value.set(or(value.get, and(this.isIn(65, 90), this.all(32)))),
      // Bytes of 128 and more are less than none, and share the last class either way.
      value.set(subtract(value.get, and(greater(value.get, this.all(90)), this.all(LETTERS_BACK)))),
      value.set(minU(maxU(minU(value.get, this.all(1)), subSatU(value.get, this.all(30))), this.all(WIDTH - 1))),
    ];
  }

  /** Twice each class. */
  get twice(): Code {
    return bytes16.add(this.value.get, this.value.get);
  }

  /** A bit for each letter and digit. */
  get bits(): Code {
    return bytes16.bitmask(bytes16.or(this.isIn(classOf('0'), classOf('9')), this.isIn(classOf('a'), classOf('z'))));
  }

  /**
   * Bytes from `from` to `to`, which are moved to the greatest that have a sign: what is beyond
   * them becomes negative or small.
   */
  private isIn(from: number, to: number): Code {
    return bytes16.greater(bytes16.add(this.value.get, this.all(127 - to)), this.all(126 - to + from));
  }

  private all(byte: number): Code {
    const variable = this.made.get(byte) ?? new Local(this.free + this.made.size);
    this.made.set(byte, variable);
    return variable.get;
  }
}
