import { attribute as a } from './attributes.js';
import type { Instrument } from './instrument.js';

/** How a new prompt compares with the one before it (PR-5, PR-6). */
export const promptInstruments: Readonly<Record<'promptExcess' | 'promptLatched', Instrument>> = {
  promptExcess: {
    name: 'criticizer.prompt.excess',
    kind: 'gauge',
    unit: '1',
    attributes: [a.promptGate],
    description:
      'How far the candidate of a rollout is from the limit of a gate over `prompts.gates.windowMs`: over 1 it is beyond, by chance or not; 0 where too little was counted or no rollout runs. Every process says the same: max, not sum. Alert on it.',
  },
  promptLatched: {
    name: 'criticizer.prompt.latched',
    kind: 'gauge',
    unit: '1',
    attributes: [a.promptGate],
    description:
      '1 while a gate has rolled a prompt back and nobody has released its latch. Every process says the same: max, not sum. Alert on it.',
  },
};
