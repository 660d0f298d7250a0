import type { GateSettings } from '../../src/prompt/rollout/gate-settings.js';
import { resolveSettings } from '../../src/settings/settings.js';

/** The gates of a host that sets none. */
export const defaultGates: GateSettings = resolveSettings({}).prompts.gates;
