#!/usr/bin/env node
// Verifies an export of the audit trail on any machine: plain Node, no package, no database. Written
// apart from the library, by the format in docs/how-to/seal-the-audit-trail.md, so that neither vouches
// for itself.
//   verify-audit-export.mjs EXPORT.jsonl --key PUBLIC.pem [--key OLDER.pem] [--checkpoint FILE.jsonl]
// Exit codes: 0 intact, 1 something was found, 2 wrong usage.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync, realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const hex = (bytes) => bytes.toString('hex');

/** JSON with sorted keys and no spaces. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(',')}}`;
}

const pick = (object, ...names) => Object.fromEntries(names.map((name) => [name, object[name]]));

/** The columns that each salted digest of a leaf covers, and what an erasure leaves of them. */
const parts = {
  actor: {
    columns: ['actor_id', 'source_ip', 'user_agent'],
    isBlank: (event) => event.actor_id === null && event.source_ip === null && event.user_agent === null,
  },
  target: { columns: ['target_id'], isBlank: (event) => event.target_id === null },
  payload: {
    columns: ['payload', 'payload_hash_sha256'],
    isBlank: (event) => Object.hasOwn(event.payload, '_erasure_meta'),
  },
};
const clear = ['recorded_at', 'actor_type', 'tenant_id', 'trace_id', 'request_id', 'action', 'target_type'];
const result = ['result_status', 'http_status', 'schema_version'];
const leafColumns = ['seal_seq', 'leaf_index', 'event_id', 'occurred_at'];
const digests = ['actor_digest', 'target_digest', 'payload_digest', 'clear_digest'];
const sealColumns = ['seq', 'count', 'merkle_root', 'previous_root', 'sealed_at', 'key_id'];

/** RFC 6962, 2.1, over leaf hashes. */
function merkleRoot(hashes) {
  if (hashes.length === 1) return hashes[0];
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return sha256(Buffer.of(1), merkleRoot(hashes.slice(0, split)), merkleRoot(hashes.slice(split)));
}

function isPartProven(leaf, event, name) {
  const { columns, isBlank } = parts[name];
  const salt = leaf[`${name}_salt`];
  if (salt === null) return isBlank(event);
  if (!/^[0-9a-f]{32}$/.test(salt)) return false; // what is no hex is cut off when bytes are read
  const digest = sha256(Buffer.from(salt, 'hex'), canonical(pick(event, ...columns)));
  return hex(digest) === leaf[`${name}_digest`];
}

function judgeLeaf(leaf, { prunedUntil, erased }) {
  const own = hex(sha256(Buffer.of(0), canonical(pick(leaf, ...leafColumns, ...digests))));
  if (own !== leaf.leaf_hash) return 'leaf-changed';
  const { event } = leaf;
  if (event === null) return prunedUntil !== null && leaf.occurred_at <= prunedUntil ? 'pruned' : 'event-missing';
  const isClear = hex(sha256(canonical(pick(event, ...clear, ...result)))) === leaf.clear_digest;
  const isPlaced = event.id === leaf.event_id && event.occurred_at === leaf.occurred_at;
  if (!isClear || !isPlaced || !Object.keys(parts).every((name) => isPartProven(leaf, event, name)))
    return 'event-edited';
  if (Object.keys(parts).every((name) => leaf[`${name}_salt`] !== null)) return 'whole';
  return erased.has(leaf.event_id) ? 'erased' : 'erasure-unexplained';
}

async function* readLines(file) {
  for await (const line of createInterface({
    input: createReadStream(file, 'utf8'),
    crlfDelay: Number.POSITIVE_INFINITY,
  }))
    if (line !== '') yield line;
}

/** What prunes and erasures of the export explain: the first pass over it. */
async function findExplained(file) {
  const explained = { prunedUntil: null, erased: new Set() };
  for await (const line of readLines(file)) {
    if (!line.includes('audit.events.prune') && !line.includes('audit.subject.erase')) continue;
    const { action, payload } = JSON.parse(line).event ?? {};
    if (action === 'audit.events.prune' && payload.occurredUntil > (explained.prunedUntil ?? ''))
      explained.prunedUntil = payload.occurredUntil;
    if (action !== 'audit.subject.erase') continue;
    for (const id of payload.eventIds ?? [])
      explained.erased.add(id.replace(/^(.{8})-?(.{4})-?(.{4})-?(.{4})-?(.{12})$/, '$1-$2-$3-$4-$5'));
  }
  return explained;
}

async function readCheckpoint(file) {
  const seals = new Map();
  for await (const line of readLines(file)) {
    try {
      const seal = JSON.parse(line);
      if (Number.isSafeInteger(seal.seq)) seals.set(seal.seq, canonical(pick(seal, ...sealColumns, 'signature')));
    } catch {
      // A crash cut the line; the next one holds the whole seal.
    }
  }
  return seals;
}

function readKeys(files) {
  return new Map(
    files.map((file) => {
      const key = createPublicKey(readFileSync(file));
      return [hex(sha256(key.export({ type: 'spki', format: 'der' }))).slice(0, 16), key];
    }),
  );
}

/** Verifies an export. Gives counts and what is wrong, in the order of the trail. */
export async function verifyExport(file, { keys: keyFiles, checkpoint: checkpointFile = null }) {
  const keys = readKeys(keyFiles);
  const checkpoint = checkpointFile === null ? null : await readCheckpoint(checkpointFile);
  const explained = await findExplained(file);
  const counts = { seals: 0, events: 0, erased: 0, pruned: 0, unsealed: 0, oldestUnsealed: null };
  const findings = [];
  let last = { seq: 0, merkle_root: '0'.repeat(64) };
  let batch = null;
  let hasEnd = false;
  const report = (kind, place = {}) => findings.push({ kind, sealSeq: null, leafIndex: null, eventId: null, ...place });

  function endBatch() {
    if (batch === null) return;
    const { seal, hashes, misplaced } = batch;
    if (misplaced !== null || hashes.length !== seal.count)
      report('batch-changed', { sealSeq: seal.seq, leafIndex: misplaced ?? Math.min(hashes.length, seal.count) });
    else if (hex(merkleRoot(hashes)) !== seal.merkle_root) report('batch-changed', { sealSeq: seal.seq });
    batch = null;
  }

  function addSeal(seal) {
    endBatch();
    counts.seals += 1;
    const sealSeq = seal.seq;
    if (seal.seq !== last.seq + 1 || seal.previous_root !== last.merkle_root) report('chain-broken', { sealSeq });
    const key = keys.get(seal.key_id);
    const text = `criticizer.audit.seal.v1\n${canonical(pick(seal, ...sealColumns))}`;
    const signature = Buffer.from(String(seal.signature), 'base64');
    if (key === undefined) report('key-unknown', { sealSeq });
    else if (signature.toString('base64') !== seal.signature || !verify(null, Buffer.from(text), key, signature))
      report('signature-wrong', { sealSeq });
    const kept = checkpoint?.get(seal.seq);
    if (kept !== undefined && kept !== canonical(pick(seal, ...sealColumns, 'signature')))
      report('checkpoint-differs', { sealSeq });
    last = seal;
    batch = { seal, hashes: [], misplaced: null };
  }

  function addLeaf(leaf) {
    counts.events += 1;
    const at = batch?.hashes.length ?? 0;
    if (batch !== null) {
      if (leaf.leaf_index !== at || leaf.seal_seq !== batch.seal.seq) batch.misplaced ??= at;
      batch.hashes.push(Buffer.from(leaf.leaf_hash, 'hex'));
    } else report('chain-broken', { sealSeq: leaf.seal_seq });
    const state = judgeLeaf(leaf, explained);
    if (state === 'erased' || state === 'pruned') counts[state] += 1;
    else if (state !== 'whole')
      report(state, { sealSeq: leaf.seal_seq, leafIndex: leaf.leaf_index, eventId: leaf.event_id });
  }

  for await (const text of readLines(file)) {
    let line;
    try {
      line = JSON.parse(text);
    } catch {
      report('export-damaged');
      continue;
    }
    if (line.type === 'seal') addSeal(line);
    else if (line.type === 'leaf') addLeaf(line);
    else endBatch();
    if (line.type === 'unsealed' && line.event.action !== 'audit.seal.root') {
      counts.unsealed += 1;
      counts.oldestUnsealed ??= line.event.recorded_at;
    }
    if (line.type === 'end') hasEnd = line.seals === counts.seals && line.leaves === counts.events;
  }
  endBatch();
  if (!hasEnd) report('export-damaged');
  const checkpointSeq = checkpoint === null ? null : [...checkpoint.keys()].reduce((a, b) => Math.max(a, b), 0);
  if (checkpointSeq !== null && checkpointSeq > last.seq) report('trail-cut', { sealSeq: last.seq + 1 });
  return { isIntact: findings.length === 0, ...counts, checkpointSeq, findings };
}

function describe({ kind, sealSeq, leafIndex, eventId }) {
  const places = [sealSeq === null ? '' : `seal ${sealSeq}`, leafIndex === null ? '' : `row ${leafIndex}`];
  return [kind, ...places, eventId === null ? '' : `event ${eventId}`].filter((text) => text !== '').join(' ');
}

async function main(args) {
  const given = { keys: [], checkpoint: null };
  const files = [];
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] === '--key') given.keys.push(args[++at] ?? '');
    else if (args[at] === '--checkpoint') given.checkpoint = args[++at] ?? '';
    else files.push(args[at]);
  }
  if (files.length !== 1 || given.keys.length === 0) {
    console.error(
      'usage: verify-audit-export EXPORT.jsonl --key PUBLIC.pem [--key OLDER.pem] [--checkpoint FILE.jsonl]',
    );
    return 2;
  }
  const found = await verifyExport(files[0], given);
  console.log(`${found.seals} seals, ${found.events} sealed events: ${found.erased} erased, ${found.pruned} pruned`);
  console.log(`${found.unsealed} events that no seal holds, the oldest of ${found.oldestUnsealed ?? 'none'}`);
  console.log(
    found.checkpointSeq === null
      ? 'no checkpoint: a cut at the end shows nowhere'
      : `checkpoint up to seal ${found.checkpointSeq}`,
  );
  for (const finding of found.findings.slice(0, 100)) console.log(`FOUND ${describe(finding)}`);
  console.log(
    found.isIntact ? 'intact' : `${found.findings.length} findings; the first: ${describe(found.findings[0])}`,
  );
  return found.isIntact ? 0 : 1;
}

const started = process.argv[1] === undefined ? '' : pathToFileURL(realpathSync(process.argv[1])).href;
if (started === pathToFileURL(realpathSync(fileURLToPath(import.meta.url))).href)
  process.exitCode = await main(process.argv.slice(2));
