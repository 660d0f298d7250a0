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

/** Fields of a body that a protocol sets: `fields` whole, and of each object in `nested` some fields only. */
export interface ProtocolFields {
  fields: ReadonlySet<string>;
  /** `{ generationConfig: new Set(['maxOutputTokens']) }`: a host may set the object's other fields. */
  nested?: Readonly<Record<string, ReadonlySet<string>>> | undefined;
}

function isPlainObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A copy of a host's vendor switches. Throws `TypeError` that names the key, unless they are a JSON
 * object without a field that the protocol sets itself, and without a key that names a credential:
 * all of it stands in dry runs, and a credential belongs to `send` (SEC-4). What the values hold is
 * the guard's to judge, as for the rest of the body (RED-10).
 */
export function readExtraBody(option: string, extraBody: JsonObject, reserved: ProtocolFields): JsonObject {
  checkJsonObject(option, extraBody);
  const fail = (at: string, expected: string): never => {
    throw new TypeError(`${option}.${at}: expected ${expected}`);
  };
  for (const [key, value] of Object.entries(extraBody)) {
    if (reserved.fields.has(key)) fail(key, 'a field that the protocol does not set itself');
    const inner = reserved.nested?.[key];
    if (inner === undefined) continue;
    if (!isPlainObject(value)) fail(key, 'an object');
    const taken = Object.keys(value as JsonObject).find((name) => inner.has(name));
    if (taken !== undefined) fail(`${key}.${taken}`, 'a field that the protocol does not set itself');
  }
  const credential = findCredentialName(extraBody, option);
  if (credential !== null)
    throw new TypeError(`${credential}: expected no credential; it would stand in dry runs. Use apiKey`);
  return JSON.parse(JSON.stringify(extraBody)) as JsonObject;
}

/** The body with the switches behind what the protocol sets; objects that both set are merged. */
export function joinExtraBody(body: JsonObject, extraBody: JsonObject): JsonObject {
  const joined: Record<string, JsonValue> = { ...body };
  for (const [key, value] of Object.entries(extraBody)) {
    const own = body[key];
    joined[key] = isPlainObject(own) && isPlainObject(value) ? { ...own, ...value } : value;
  }
  return joined;
}
