import { describe, expect, expectTypeOf, it } from 'vitest';
import { silentLogger } from '../telemetry/logger.js';
import { checkFields, checkOptions, type OptionShape } from './check-options.js';
import { checkBoolean, checkedElsewhere, nested, oneOf, optional, withMethods } from './option-checks.js';

interface ListOptions {
  allow: readonly string[];
  deny?: readonly string[] | undefined;
  delayMs?: number | undefined;
}
const listShape: OptionShape<ListOptions> = {
  allow: checkedElsewhere,
  deny: checkedElsewhere,
  delayMs: checkedElsewhere,
};

const errorOf = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('checkOptions', () => {
  it('takes every known key, and in a path undefined as no options', () => {
    checkOptions('createList', { allow: [], deny: undefined }, listShape);
    checkFields('list: options', undefined, listShape);
  });

  it.each([
    [{ allow: [], denny: [] }, 'createList: denny: unknown option; did you mean deny? known are allow, deny, delayMs'],
    [{ delayMS: 1 }, 'createList: delayMS: unknown option; did you mean delayMs? known are allow, deny, delayMs'],
    [{ kind: 'x' }, 'createList: kind: unknown option; known are allow, deny, delayMs'],
    [{ toString: 1 }, 'createList: toString: unknown option; known are allow, deny, delayMs'],
    [{ x: undefined }, 'createList: x: unknown option; known are allow, deny, delayMs'],
  ])('refuses %j and names what is known', (options, message) => {
    expect(errorOf(() => checkOptions('createList', options, listShape))).toEqual(new TypeError(message));
  });

  it.each([undefined, null, 5, 'allow', [], () => undefined])('refuses %j, which is no object', (options) => {
    const message = 'createList: expected an object with allow, deny, delayMs';
    expect(errorOf(() => checkOptions('createList', options, listShape))).toEqual(new TypeError(message));
  });

  it('hands every known key to its check, absent ones too, with its whole name', () => {
    const seen: [string, unknown][] = [];
    const note = (option: string, value: unknown): void => void seen.push([option, value]);
    checkOptions<ListOptions>('createList', { allow: 1 }, { allow: note, deny: note, delayMs: note });
    checkFields<ListOptions>('jobs[3]', { deny: 2 }, { allow: note, deny: note, delayMs: note });
    const names = [
      'createList: allow',
      'createList: deny',
      'createList: delayMs',
      'jobs[3].allow',
      'jobs[3].deny',
      'jobs[3].delayMs',
    ];
    expect(seen.map(([name]) => name)).toEqual(names);
    expect(seen.map(([, value]) => value)).toEqual([1, undefined, undefined, undefined, 2, undefined]);
  });

  it('reads no inherited key and none of the prototype', () => {
    const options: object = Object.create({ denny: [] });
    expect(errorOf(() => checkOptions('createList', options, listShape))).toBeUndefined();
  });

  it('cuts what it compares of a very long key', () => {
    expect(errorOf(() => checkOptions('createList', { ['k'.repeat(100_000)]: 1 }, listShape))).toBeInstanceOf(
      TypeError,
    );
  });

  it('makes a shape name exactly the keys of its type', () => {
    expectTypeOf<OptionShape<ListOptions>>().toHaveProperty('deny');
    expectTypeOf<{ allow: typeof checkedElsewhere }>().not.toExtend<OptionShape<ListOptions>>();
  });
});

describe('the checks of one option', () => {
  it('takes a port with members of its own and refuses one that lacks a method', () => {
    class Store {
      readonly anything = 1;
      read(): void {}
    }
    expect(errorOf(() => withMethods('read')('x: store', new Store()))).toBeUndefined();
    expect(errorOf(() => withMethods('read', 'write')('x: store', silentLogger))).toEqual(
      new TypeError('x: store: expected an object with the methods read, write'),
    );
  });

  it('names a nested key in full', () => {
    const shape = { a: nested<{ b: boolean }>({ b: checkBoolean }) };
    expect(errorOf(() => checkOptions('createX', { a: { c: true } }, shape))).toEqual(
      new TypeError('createX: a.c: unknown option; known are b'),
    );
    expect(errorOf(() => checkOptions('createX', {}, shape))).toEqual(
      new TypeError('createX: a: expected an object with b'),
    );
    expect(errorOf(() => checkOptions('createX', { a: { b: 1 } }, shape))).toEqual(
      new TypeError('createX: a.b: expected true or false'),
    );
  });

  it('lets an optional one be left out, and checks one that is given', () => {
    const check = optional(oneOf('auto', 'never'));
    expect(errorOf(() => check('migrate', undefined))).toBeUndefined();
    expect(errorOf(() => check('migrate', null))).toEqual(new TypeError('migrate: expected one of auto, never'));
  });
});
