import { describe } from 'vitest';
import { holdOptions } from '../../../tools/testing/hold-options.js';
import * as main from '../src/index.js';
import { createCollectingClient, makeModel, makeProvider } from './sample-calls.js';

const model = makeModel(async () => undefined);

describe('options', () => {
  holdOptions({
    folder: new URL('../', import.meta.url),
    entries: { '.': main },
    calls: { createAiSdkProvider: (extra) => makeProvider(createCollectingClient(), model, { ...extra }) },
    without: [],
  });
});
