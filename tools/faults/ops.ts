import type { Fault } from './fault.js';

export const opsFaults: readonly Fault[] = [];
