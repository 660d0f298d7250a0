// Installs the vendors' clients by the lockfile, where they are not yet there; runs none of their scripts.
// Our packages are linked beside them: this folder is outside the workspace.
import { mkdirSync, statSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installOnDemand } from '../install-on-demand.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
installOnDemand(folder, 'the vendors’ clients');
const ours = `${folder}node_modules/@criticizer`;
mkdirSync(ours, { recursive: true });
for (const name of ['core', 'redact'])
  if (statSync(`${ours}/${name}`, { throwIfNoEntry: false }) === undefined)
    symlinkSync(`${folder}../../packages/${name}`, `${ours}/${name}`, 'junction');
