import type { JsonObject, JsonValue } from '../foundation/json.js';
import { checkJsonObject } from '../foundation/store-input.js';

/** Names of fields that hold credentials; a vendor's switch has none of them. */
const credentialName =
  /^(authorization|cookie|bearer|password|passwd|pwd|secret|credentials?|token)$|(api|access|auth|secret|private)[_-]?(key|token)$|[_-](password|secret)$/i;

function findCredentialName(value: JsonValue, path: string): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value) as [string, JsonValue][]) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    const found = !Array.isArray(value) && credentialName.test(key) ? at : findCredentialName(inner, at);
    if (found !== null) return found;
  }
  return null;
}

/**
 * A copy of a host's vendor switches. Throws `TypeError` that names the key, unless they are a JSON
 * object without a key of `reserved`, which the protocol sets itself, and without a key that names
 * a credential: all of it stands in dry runs, and a credential belongs to `send` (SEC-4). What the
 * values hold is the guard's to judge, as for the rest of the body (RED-10).
 */
export function readExtraBody(option: string, extraBody: JsonObject, reserved: ReadonlySet<string>): JsonObject {
  checkJsonObject(option, extraBody);
  const taken = Object.keys(extraBody).find((key) => reserved.has(key));
  if (taken !== undefined)
    throw new TypeError(`${option}.${taken}: expected a field that the protocol does not set itself`);
  const credential = findCredentialName(extraBody, option);
  if (credential !== null)
    throw new TypeError(`${credential}: expected no credential; it would stand in dry runs. Use apiKey`);
  return JSON.parse(JSON.stringify(extraBody)) as JsonObject;
}
