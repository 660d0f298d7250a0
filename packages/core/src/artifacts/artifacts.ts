import type { AuditTrail } from '../audit/audit-trail.js';
import { type Actor, checkActor, pipelineActor } from '../foundation/actor.js';
import { checkFields, checkOptions, type OptionShape } from '../foundation/check-options.js';
import { partWith } from '../foundation/contract.js';
import { CriticizerError, isCriticizerError } from '../foundation/errors.js';
import {
  checkedElsewhere,
  checkFunction,
  nested,
  observerShape,
  optional,
  withMethods,
} from '../foundation/option-checks.js';
import { mintRedactedText, type RedactedText } from '../foundation/redacted-text.js';
import type { RuleSet } from '../foundation/redactor.js';
import { checkMs, checkText } from '../foundation/store-input.js';
import type { Random } from '../foundation/time/random.js';
import type {
  ArtifactManifest,
  ArtifactNamespace,
  ArtifactPurpose,
  ArtifactRow,
  NewArtifact,
} from '../stores/artifact-manifest.js';
import { readKeyTag } from '../stores/key-tag.js';
import { refuseAbsentFacet } from '../stores/modules.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { AccessPolicy } from './access-policy.js';
import type { ArtifactStore } from './artifact-store.js';
import { createAuthorizer, type OnAccess } from './authorize.js';
import { contentDigest, type EnvelopeBinding, open, sameDigest, seal } from './envelope.js';
import type { KeyProvider } from './key-provider.js';
import { createReadRecorder } from './record-read.js';

/** What a new artifact is: where it belongs, what it is for, and what its bytes are about. */
export interface ArtifactWrite {
  namespace: ArtifactNamespace;
  purpose: ArtifactPurpose;
  contentType: string;
  changelistId: string | null;
  jobId: string | null;
  /** Required in the redacted namespace: the rules that made the contents. */
  redaction: RuleSet | null;
}

/** What a read by somebody else than the pipeline may say. */
export interface ArtifactReadOptions {
  /** Why, 1 to 8,192 characters; the audit event holds it. */
  reason?: string | undefined;
}

/** Encrypted, expiring, access-checked storage of what stages make (ART-1..6). */
export interface Artifacts<Tx = never> {
  /**
   * Stores the bytes under a new id, `pending` until a settlement or `publish` names it. With `tx`
   * its manifest row, which holds the only copy of its key, is part of that transaction; a rollback
   * leaves bytes that nobody can open, and that a sweep removes after a week.
   */
  write(about: ArtifactWrite, body: Uint8Array, actor?: Actor, options?: { tx?: Tx | undefined }): Promise<string>;
  /**
   * Reads as the pipeline by default. A read by anybody else is recorded before the bytes are given
   * out (ART-4). Throws `ARTIFACT_MISSING`, `ARTIFACT_EXPIRED`, `ARTIFACT_TAMPERED`,
   * `ARTIFACT_ACCESS_DENIED`, `AUDIT_NOT_STORED` where the read of a raw artifact could not be
   * recorded, or what store and keys throw.
   */
  read(id: string, actor?: Actor, options?: ArtifactReadOptions): Promise<{ row: ArtifactRow; body: Uint8Array }>;
  /**
   * Like `read`, for the redacted namespace alone: the authenticated manifest names the rules, so
   * the text may go to an LLM (ART-6).
   */
  readRedacted(id: string, actor?: Actor, options?: ArtifactReadOptions): Promise<RedactedText>;
}

/**
 * What `createArtifacts` needs: where bytes and rows lie, keys, who may read, and how long each
 * namespace lives.
 */
export interface ArtifactsOptions<Tx = never> {
  store: ArtifactStore;
  manifest: ArtifactManifest<Tx>;
  keys: KeyProvider;
  access: AccessPolicy;
  /** Receives every read, allowed or denied. Default: nothing. */
  onAccess?: OnAccess | undefined;
  /**
   * Records reads by anybody but the pipeline (ART-4). Without it nobody else reads raw artifacts,
   * whatever `access` grants: no event, no bytes.
   */
  audit?: Pick<AuditTrail<unknown>, 'record'> | undefined;
  /** Counts reads. Default: nothing. */
  telemetry?: Telemetry | undefined;
  securityEvents: SecurityEvents;
  /** Where a failing `onAccess` is reported. Default: nowhere. */
  logger?: Logger | undefined;
  random: Random;
  /** By namespace, milliseconds (ART-1). */
  ttlMs: Readonly<Record<ArtifactNamespace, number>>;
}

const toBinding = (row: ArtifactRow): EnvelopeBinding => ({
  artifactId: row.id,
  namespace: row.namespace,
  // The rules are bound too: a manifest edited to name other rules opens nothing.
  contentType: JSON.stringify([row.contentType, row.redaction?.ruleVersion ?? null, row.redaction?.policyHash ?? null]),
  kekId: row.kekId,
  purpose: row.purpose,
  changelistId: row.changelistId,
  expiresAt: row.expiresAt,
});

/**
 * True for the failure of a read whose artifact is no longer there, or no longer may be read: what
 * was made from it is made again.
 */
export function isArtifactGone(error: unknown): boolean {
  return isCriticizerError(error) && (error.code === 'ARTIFACT_MISSING' || error.code === 'ARTIFACT_EXPIRED');
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

const readShape: OptionShape<ArtifactReadOptions> = {
  reason: optional((option, value) => checkText(option, value, 8_192)),
};
const ttl = nested<Readonly<Record<ArtifactNamespace, number>>>({
  raw: (option, value) => checkMs(option, value, 1),
  redacted: (option, value) => checkMs(option, value, 1),
});
const optionShape: OptionShape<ArtifactsOptions<unknown>> = {
  store: partWith('put', 'get'),
  manifest: withMethods('reserve', 'get', 'keyTag'),
  keys: withMethods('wrap', 'unwrap'),
  access: withMethods('decide'),
  onAccess: optional(checkFunction),
  audit: optional(withMethods('record')),
  telemetry: observerShape.telemetry,
  logger: observerShape.logger,
  securityEvents: withMethods('emit'),
  random: withMethods('uuid'),
  ttlMs: ttl,
};
/** Its keys; the manifest checks the values. */
const writeShape: OptionShape<ArtifactWrite> = {
  namespace: checkedElsewhere,
  purpose: checkedElsewhere,
  contentType: checkedElsewhere,
  changelistId: checkedElsewhere,
  jobId: checkedElsewhere,
  redaction: checkedElsewhere,
};

// long: the verbs of one vault, each short, over the same keys, rows and bytes
/** Puts manifest, keys, policy and byte store together. */
export function createArtifacts<Tx = never>(options: ArtifactsOptions<Tx>): Artifacts<Tx> {
  checkOptions('createArtifacts', options, optionShape);
  refuseAbsentFacet('createArtifacts: manifest', options.manifest);
  const { store, manifest, keys, access, onAccess, audit, securityEvents, random, logger = silentLogger } = options;
  const authorize = createAuthorizer({ access, isRecorded: audit !== undefined, onAccess, securityEvents, logger });
  const recordRead = createReadRecorder({ audit, telemetry: options.telemetry });
  let keyTag: string | undefined;

  async function body(row: ArtifactRow): Promise<Uint8Array> {
    const context = { artifactId: row.id, namespace: row.namespace };
    // The key first: a file that was opened and is then not read would stay open.
    const dataKey = await keys.unwrap(Buffer.from(row.wrappedKey, 'base64'), row.kekId, context);
    try {
      const sealed = await store.get({ namespace: row.namespace, key: row.storageKey });
      if (sealed === null)
        throw new CriticizerError('ARTIFACT_MISSING', 'The artifact store has no bytes for this artifact.', {
          category: 'not_found',
          details: { artifactId: row.id },
        });
      const parts: Uint8Array[] = [];
      for await (const part of open(sealed, dataKey, toBinding(row))) parts.push(part);
      const whole = Buffer.concat(parts);
      if (whole.length !== row.bytes || !sameDigest(contentDigest(whole, dataKey), row.digest))
        throw new CriticizerError('ARTIFACT_TAMPERED', 'The artifact differs from its manifest.', {
          category: 'validation',
        });
      return whole;
    } finally {
      dataKey.fill(0);
    }
  }

  async function read(
    id: string,
    actor: Actor,
    reading: ArtifactReadOptions = {},
  ): Promise<{ row: ArtifactRow; body: Uint8Array }> {
    checkActor('artifacts.read: actor', actor);
    checkFields<ArtifactReadOptions>('artifacts.read: options', reading, readShape);
    const [row] = await manifest.get([id]);
    if (row === null || row === undefined || row.status === 'deleted')
      throw new CriticizerError('ARTIFACT_MISSING', 'The artifact is not there, or no longer.', {
        category: 'not_found',
        details: { artifactId: id },
      });
    const record = (outcome: 'allowed' | 'denied' | 'expired') =>
      recordRead({ actor, reason: reading.reason, row, outcome });
    await authorize(actor, 'read', row).catch(async (error: unknown) => {
      await record('denied');
      throw error;
    });
    await record(row.isExpired ? 'expired' : 'allowed');
    // Its bytes may lie there until a sweep comes; they are not given out (ART-1).
    if (row.isExpired)
      throw new CriticizerError('ARTIFACT_EXPIRED', 'The artifact is past its expiry.', {
        category: 'not_found',
        details: { artifactId: id },
      });
    try {
      return { row, body: await body(row) };
    } catch (error) {
      if (isCriticizerError(error) && (error.code === 'ARTIFACT_TAMPERED' || error.code === 'KEY_REJECTED')) {
        raiseSecurityEvent(options.securityEvents, {
          type: 'artifact.tampered',
          reason: 'A stored artifact does not authenticate.',
          details: { artifactId: id, code: error.code },
        });
      }
      throw error;
    }
  }

  /** The manifest row first; what comes back is where and what to store. */
  async function reserve(
    id: string,
    about: ArtifactWrite,
    plain: Uint8Array,
    dataKey: Uint8Array,
    tx: Tx | undefined,
  ): Promise<Parameters<ArtifactStore['put']>> {
    const { namespace, contentType } = about;
    keyTag ??= await readKeyTag(manifest, tx);
    const storageKey = `${Buffer.from(random.bytes(24)).toString('hex')}${keyTag}`;
    const { kekId, wrapped } = await keys.wrap(dataKey, { artifactId: id, namespace });
    const redaction =
      about.redaction === null
        ? null
        : { ruleVersion: about.redaction.version, policyHash: about.redaction.policyHash };
    const artifact: NewArtifact = {
      id,
      namespace,
      contentType,
      kekId,
      redaction,
      purpose: about.purpose,
      storageKey,
      changelistId: about.changelistId,
      jobId: about.jobId,
      ttlMs: options.ttlMs[namespace],
      wrappedKey: Buffer.from(wrapped).toString('base64'),
      bytes: plain.length,
      digest: contentDigest(plain, dataKey),
    };
    const [row] = await manifest.reserve([artifact], { tx });
    if (row === undefined)
      throw new CriticizerError('STORE_INVARIANT', 'A reserved artifact has no row.', { category: 'bug' });
    return [{ namespace, key: storageKey }, seal(once(plain), dataKey, toBinding(row))];
  }

  return {
    async write(about, plain, actor = pipelineActor, writing) {
      checkFields('artifacts.write: about', about, writeShape);
      checkFields<NonNullable<typeof writing>>('artifacts.write: options', writing, { tx: checkedElsewhere });
      const tx = writing?.tx;
      if ((about.namespace === 'redacted') !== (about.redaction !== null))
        throw new TypeError(
          'artifacts.write: the redacted namespace, and only it, takes the rules that made the contents',
        );
      const id = random.uuid();
      await authorize(actor, 'write', { ...about, id });
      const dataKey = Uint8Array.from(random.bytes(32));
      try {
        await store.put(...(await reserve(id, about, plain, dataKey, tx)));
      } finally {
        dataKey.fill(0);
      }
      return id;
    },
    read: (id, actor = pipelineActor, reading) => read(id, actor, reading),
    async readRedacted(id, actor = pipelineActor, reading) {
      const found = await read(id, actor, reading);
      if (found.row.namespace !== 'redacted' || found.row.redaction === null)
        throw new CriticizerError('ARTIFACT_NOT_REDACTED', 'Only redacted artifacts may be bound for an LLM.', {
          category: 'policy',
          details: { artifactId: id },
        });
      const { ruleVersion: version, policyHash } = found.row.redaction;
      return mintRedactedText(Buffer.from(found.body).toString('utf8'), { version, policyHash });
    },
  };
}
