import type { Fault } from './fault.js';

export const grdFaults: readonly Fault[] = [];
