import { describe, expect, it } from 'vitest';
import type { Page, TimeSpan } from '../../foundation/page.js';
import { convictions, type PlantedFault } from '../support/planted-fault.js';
import { describeListsContract, listsUnderTest } from './lists-contract.js';

type Rows = readonly { id: string }[];
type List = (filter: Page & TimeSpan) => Promise<Rows>;

/** Puts the fault under every list of the stores, which keep their other verbs. */
function underEveryList(broken: (list: List) => List): PlantedFault['plant'] {
  return (stores) => {
    const replaced: Record<string, Record<string, unknown>> = {};
    for (const { verb } of listsUnderTest) {
      const [facet = '', name = ''] = verb.split('.');
      const honest: unknown = Reflect.get(Reflect.get(stores, facet) as object, name);
      replaced[facet] = { ...replaced[facet], [name]: broken(honest as List) };
    }
    return replaced;
  };
}

const faults: readonly { name: string; caught: string; plant: PlantedFault['plant'] }[] = [
  {
    name: 'oldest rows first',
    caught: 'pages newest first',
    plant: underEveryList((list) => async (filter) => [...(await list(filter))].reverse()),
  },
  {
    name: 'a page by number, which moves as rows are added',
    caught: 'pages newest first',
    plant: underEveryList((list) => {
      let read = 0;
      return async (filter) => {
        read = filter.before === undefined ? 0 : read;
        const all = await list({ ...filter, before: undefined, limit: 1000 });
        const page = all.slice(read, read + (filter.limit ?? 100));
        read += page.length;
        return page;
      };
    }),
  },
  {
    name: 'a place that nobody reads',
    caught: 'reads from since on',
    plant: underEveryList((list) => (filter) => list({ ...filter, before: undefined })),
  },
  {
    name: 'until that takes its own instant in',
    caught: 'reads from since on',
    plant: underEveryList(
      (list) => (filter) =>
        list(filter.until === undefined ? filter : { ...filter, until: new Date(filter.until.getTime() + 1) }),
    ),
  },
  {
    name: 'since that leaves its own instant out',
    caught: 'reads from since on',
    plant: underEveryList(
      (list) => (filter) =>
        list(filter.since === undefined ? filter : { ...filter, since: new Date(filter.since.getTime() + 1) }),
    ),
  },
  {
    name: 'an unknown place that is the end of the list',
    caught: 'rejects a bad page',
    plant: underEveryList((list) => async (filter) => (filter.before === 'no-such-row' ? [] : list(filter))),
  },
];

describe('the contract of lists convicts, in every list', () => {
  for (const { name, caught, plant } of faults) {
    it(name, async () => {
      const convicted = await convictions(describeListsContract, { plant });
      for (const { verb, requirement } of listsUnderTest) {
        const title = `${requirement}: ${verb} ${caught}`;
        expect(convicted.filter((found) => found.startsWith(title))).not.toEqual([]);
      }
    });
  }

  it('no honest store', async () => {
    expect(await convictions(describeListsContract, { plant: () => ({}) })).toEqual([]);
  });
});
