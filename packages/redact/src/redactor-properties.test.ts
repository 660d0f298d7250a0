import { describe, it } from 'vitest';
import { createRedactor } from './redactor.js';
import { describeRedactorProperties } from './testing/check-redactor.js';

const fingerprintKey = 'fingerprint-key-of-the-tests';

describeRedactorProperties({ describe, it }, { create: () => createRedactor({ fingerprintKey }), numRuns: 1000 });
