import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import type { JsonObject, JsonValue } from '../../foundation/json.js';
import { maxAuditTextBytes } from '../../stores/input/new-audit-event.js';
import { truncateText } from '../truncate-text.js';
import { jsonTextBytes } from './json-bytes.js';
import type { PathList } from './path-list.js';
import {
  collectNodes,
  type PayloadNode,
  pathOf,
  removeMembers,
  replaceValue,
  sortedMembers,
  toJson,
} from './payload-tree.js';

/** A tree under truncation: what protects some members, and where it is noted. */
export interface Truncation {
  readonly root: PayloadNode;
  /** The event's own metas: no step touches them. */
  readonly isProtected: (node: PayloadNode) => boolean;
  readonly dropped: PathList;
  readonly truncated: PathList;
  /** True where payload and metas together are within the cap. */
  readonly fits: () => boolean;
}

/** Branches that no forensic question needs, in the order in which they go. */
const OPTIONAL_BRANCHES = ['debug', 'stack', 'raw_request', 'raw_response'];
/** Caps of step 2, one round each; a marker alone takes some 120 bytes. */
const TEXT_CAPS = [1_024, 512, 256];
const SAMPLE_SIZE = 3;

function cutText(run: Truncation, node: PayloadNode, maxBytes: number): void {
  const text = truncateText(node.source as string, maxBytes);
  replaceValue(node, text, jsonTextBytes(text));
  run.truncated.add(pathOf(node));
}

const textBytes = (node: PayloadNode): number => Buffer.byteLength(node.value as string);

/**
 * Cuts every text of more than 2,048 bytes, those of the event's own metas too, and notes names that
 * were cut (AUD-9).
 */
export function capScalars(run: Truncation): void {
  for (const node of collectNodes(run.root, () => false)) {
    if (node.renamed) run.truncated.add(pathOf(node));
    if (node.kind === 'text' && textBytes(node) > maxAuditTextBytes) cutText(run, node, maxAuditTextBytes);
  }
}

/** `rawRequest` as `raw_request`. */
function normalizeName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}

/** Step 1: drops the optional branches wherever they are, one name after the other. */
function dropBranches(run: Truncation): void {
  const found = new Map<string, PayloadNode[]>(OPTIONAL_BRANCHES.map((name) => [name, []]));
  for (const node of collectNodes(run.root, run.isProtected))
    if (typeof node.step === 'string' && node.step.length < 64) found.get(normalizeName(node.step))?.push(node);
  for (const nodes of found.values()) {
    for (const node of nodes) {
      if (node.removed || node.parent === null) continue;
      run.dropped.add(pathOf(node));
      removeMembers(node.parent, (child) => child === node);
    }
    if (run.fits()) return;
  }
}

/** Largest first; equals stay in the order of the document. */
function bySize(nodes: readonly PayloadNode[], size: (node: PayloadNode) => number): PayloadNode[] {
  return nodes
    .map((node) => ({ node, bytes: size(node) }))
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ node }) => node);
}

/** Step 2: cuts the largest texts to 1,024 bytes, then to 512 and 256, one text after the other. */
function shrinkTexts(run: Truncation): void {
  const texts = collectNodes(run.root, run.isProtected).filter(({ kind }) => kind === 'text');
  for (const cap of TEXT_CAPS)
    for (const node of bySize(
      texts.filter((text) => textBytes(text) > cap),
      textBytes,
    )) {
      cutText(run, node, cap);
      if (run.fits()) return;
    }
}

function summarizeItem(value: JsonValue): JsonObject {
  const json = canonicalJson(value);
  return { sha256: createHash('sha256').update(json).digest('hex'), bytes: Buffer.byteLength(json) };
}

function summarize(kind: 'array' | 'object', source: JsonValue): JsonObject {
  const values = Array.isArray(source)
    ? (source as readonly JsonValue[])
    : sortedMembers(source as JsonObject).map(([, member]) => member);
  return {
    [`_truncated_${kind}`]: true,
    original_count: values.length,
    sample: values.slice(0, SAMPLE_SIZE).map(summarizeItem),
  };
}

/** Steps 3 and 4: puts a summary in the place of the largest arrays, or objects below the root. */
function summarizeLargest(run: Truncation, kind: 'array' | 'object'): void {
  const containers = collectNodes(run.root, run.isProtected).filter((node) => node.kind === kind);
  for (const node of bySize(containers, ({ bytes }) => bytes)) {
    if (node.removed || node.children.length === 0) continue;
    const summary = summarize(kind, node.source);
    const bytes = Buffer.byteLength(canonicalJson(summary));
    if (bytes >= node.bytes) continue;
    replaceValue(node, summary, bytes);
    run.truncated.add(pathOf(node));
    if (run.fits()) return;
  }
}

/** The last resort: a summary of the whole payload, and the event's own metas. */
function summarizeRoot(run: Truncation): void {
  const { root } = run;
  const own = root.children.filter(run.isProtected);
  const source = Object.fromEntries(
    Object.entries(root.source as JsonObject).filter(([name]) => !own.some(({ step }) => step === name)),
  );
  const value = { ...summarize('object', source), ...Object.fromEntries(own.map((node) => [node.step, toJson(node)])) };
  replaceValue(root, value, Buffer.byteLength(canonicalJson(value)));
  run.truncated.add('$');
}

/** Truncates until the payload fits (AUD-10, ruling R5): after the last step it does. */
export function truncateUntilFits(run: Truncation): void {
  const steps = [
    dropBranches,
    shrinkTexts,
    (it: Truncation) => summarizeLargest(it, 'array'),
    (it: Truncation) => summarizeLargest(it, 'object'),
    summarizeRoot,
  ];
  for (const step of steps) {
    if (run.fits()) return;
    step(run);
  }
}
