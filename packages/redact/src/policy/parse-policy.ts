import { createRequire } from 'node:module';
import { isAbsolute } from 'node:path';
import type { z as Zod } from 'zod';
import { explainPolicy } from './explain-policy.js';
import { createPolicySchema, type RedactionPolicy } from './policy-schema.js';

let loaded: { z: typeof Zod; schema: ReturnType<typeof createPolicySchema> } | undefined;

/**
 * Checks a policy by its schema. Throws a TypeError that names the option, and the known ones for
 * an unknown key. zod is loaded by the first policy: a redactor without one is ready before zod
 * would be.
 */
export function parsePolicy(policy: unknown, caller: string): RedactionPolicy {
  if (loaded === undefined) {
    const z = loadZod();
    loaded = { z, schema: createPolicySchema(z) };
  }
  const parsed = loaded.schema.safeParse(policy);
  if (!parsed.success) throw new TypeError(`${caller}: ${explainPolicy(parsed.error.issues, loaded.schema, loaded.z)}`);
  return parsed.data;
}

function loadZod(): typeof Zod {
  // __filename first: bundlers' stand-ins for import.meta.url in CJS ask for `document`, which
  // Jest's jsdom has. In ESM under `node -e` it is `[eval]`.
  const here = typeof __filename === 'string' && isAbsolute(__filename) ? __filename : import.meta.url;
  try {
    return (createRequire(here)('zod') as { z: typeof Zod }).z;
  } catch (cause) {
    throw new Error(
      `zod, which checks a policy, cannot be loaded from ${here}: leave @criticizer/redact out of the bundle, or put zod beside it`,
      {
        cause,
      },
    );
  }
}
