import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/json.js';
import type { AuditSeal } from '../../stores/audit-seal-store.js';

/** `previousRoot` of the first seal. */
export const NO_ROOT = '0'.repeat(64);

/** Begins every signed text, so that a signature over something else cannot pass for a seal. */
const CONTEXT = 'criticizer.audit.seal.v1\n';

type Statement = Omit<AuditSeal, 'signature'>;

/** A seal as JSON: in exports, in checkpoint files and in the payload of its audit event. */
export function toSealJson({ signature, ...seal }: AuditSeal): JsonObject {
  return { ...toStatementJson(seal), signature };
}

function toStatementJson(seal: Statement): JsonObject {
  return {
    seq: seal.seq,
    count: seal.count,
    merkle_root: seal.merkleRoot,
    previous_root: seal.previousRoot,
    sealed_at: seal.sealedAt.toISOString(),
    key_id: seal.keyId,
  };
}

const hasText = (value: JsonValue | undefined, shape: RegExp): value is string =>
  typeof value === 'string' && shape.test(value);
const isCount = (value: JsonValue | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 1;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A seal from its JSON; null for anything else. Members that it does not know are left out. */
export function readSealJson(value: JsonValue | undefined): AuditSeal | null {
  if (!isJsonObject(value)) return null;
  const { seq, count, merkle_root, previous_root, sealed_at, key_id, signature } = value;
  if (!isCount(seq) || !isCount(count)) return null;
  if (!hasText(merkle_root, /^[0-9a-f]{64}$/) || !hasText(previous_root, /^[0-9a-f]{64}$/)) return null;
  if (!hasText(sealed_at, instant) || !hasText(key_id, /^[0-9a-f]{16}$/)) return null;
  if (!hasText(signature, /^[A-Za-z0-9+/]{86}==$/) || Number.isNaN(Date.parse(sealed_at))) return null;
  const roots = { merkleRoot: merkle_root, previousRoot: previous_root };
  return { seq, count, ...roots, sealedAt: new Date(sealed_at), keyId: key_id, signature };
}

const textOf = (seal: Statement): Buffer => Buffer.from(CONTEXT + canonicalJson(toStatementJson(seal)));

/** Names a public key: the first 16 hex characters of the SHA-256 of its DER form. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}

/** Signs what a seal states, with an Ed25519 private key; the seal names that key. */
export function signSeal(statement: Omit<Statement, 'keyId'>, privateKey: KeyObject): AuditSeal {
  const named = { ...statement, keyId: keyIdOf(createPublicKey(privateKey)) };
  return { ...named, signature: sign(null, textOf(named), privateKey).toString('base64') };
}

/** Whether the key of the seal's `keyId` signed it; `key-unknown` where that key is not among `publicKeys`. */
export function verifySeal(
  seal: AuditSeal,
  publicKeys: ReadonlyMap<string, KeyObject>,
): 'signed' | 'signature-wrong' | 'key-unknown' {
  const key = publicKeys.get(seal.keyId);
  if (key === undefined) return 'key-unknown';
  const signature = Buffer.from(seal.signature, 'base64');
  // Base64 reads many texts as the same bytes; the one that was stored is the only one that may stand.
  if (signature.toString('base64') !== seal.signature) return 'signature-wrong';
  return verify(null, textOf(seal), key, signature) ? 'signed' : 'signature-wrong';
}
