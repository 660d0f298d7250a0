import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../foundation/errors.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { createMemoryTelemetry } from '../telemetry/memory-telemetry.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createKillSwitch, killSwitchDocument } from './kill-switch.js';
import { createStoppableTelemetry } from './stoppable-telemetry.js';

function setUp() {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const memory = createMemoryTelemetry();
  const killSwitch = createKillSwitch({ documents: stores.documents, clock });
  const telemetry = createStoppableTelemetry({ telemetry: memory, killSwitch, clock });
  const flip = async (stopped: boolean, providers?: readonly string[]) => {
    const { version } = await stores.documents.read(killSwitchDocument);
    const value = { stopped, ...(providers === undefined ? {} : { providers: [...providers] }) };
    await stores.documents.write(killSwitchDocument, version, value);
  };
  const names = () => memory.measurements.map(({ name }) => name);
  /** Lets reads that are under way end. */
  const settle = () => new Promise(setImmediate);
  return { clock, flip, names, settle, stores, telemetry };
}

describe('createStoppableTelemetry', () => {
  it('EGR-4: metrics and spans end within 5 seconds of the switch, and go on when it is released', async () => {
    const { clock, flip, names, settle, telemetry } = setUp();
    telemetry.count('first', 1);
    await settle();
    expect(names()).toEqual(['first']);
    telemetry.record('known', 1);
    expect(names()).toEqual(['first', 'known']);
    const under = telemetry.startSpan('span');
    await flip(true);
    await clock.advance(5_000);
    telemetry.count('late', 1);
    telemetry.gauge('late', 1);
    under.end();
    telemetry.startSpan('late').end();
    await settle();
    expect(names()).toEqual(['first', 'known']);
    await flip(false);
    await clock.advance(5_000);
    telemetry.gauge('again', 1);
    telemetry.startSpan('span').end();
    await settle();
    expect(names()).toEqual(['first', 'known', 'again', 'span']);
  });

  it('EGR-4: nothing passes after an hour of silence though the last answer was open', async () => {
    const { clock, flip, names, settle, telemetry } = setUp();
    telemetry.count('first', 1);
    await settle();
    await flip(true, ['telemetry:host']);
    await clock.advance(3_600_000);
    for (let n = 0; n < 3; n++) telemetry.count('late', 1);
    await settle();
    expect(names()).toEqual(['first']);
  });

  it('EGR-4: a switch for other destinations leaves it alone, and points keep their order while it is read', async () => {
    const { flip, names, settle, telemetry } = setUp();
    await flip(true, ['gateway', 'mail:smtp']);
    for (const name of ['a', 'b', 'c']) telemetry.count(name, 1);
    await settle();
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('goes on where the switch cannot be read, as it was last: it reports the outage', async () => {
    const { clock, flip, names, settle, stores, telemetry } = setUp();
    const { read } = stores.documents;
    const breakStore = () => {
      stores.documents.read = async () => {
        throw new CriticizerError('DB_UNAVAILABLE', 'down', { category: 'network' });
      };
    };
    breakStore();
    telemetry.count('outage', 1);
    await settle();
    expect(names()).toEqual(['outage']);
    stores.documents.read = read;
    await flip(true);
    await clock.advance(5_000);
    telemetry.count('stopped', 1);
    await settle();
    breakStore();
    await clock.advance(5_000);
    telemetry.count('stopped', 1);
    await settle();
    expect(names()).toEqual(['outage']);
  });

  it('keeps a bounded number of points while a read does not answer', async () => {
    const { names, settle, stores, telemetry } = setUp();
    const { read } = stores.documents;
    let answer = (): void => undefined;
    stores.documents.read = async (name) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return read(name);
    };
    for (let n = 0; n < 5_000; n++) telemetry.count('point', 1);
    answer();
    await settle();
    expect(names()).toHaveLength(1_000);
  });
});
