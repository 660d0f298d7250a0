import type { GateSettings } from '../../src/prompt/rollout/gate-settings.js';

export const defaultGates: GateSettings = {
  windowMs: 30 * 60_000,
  ...{ minResponses: 20, minJobs: 20, rejectedRatio: 2, rejectedFloor: 0.01 },
  ...{ findingsShare: 0.5, findingsFloor: null, droppedShare: 0.1, promoteJobs: 200 },
};
