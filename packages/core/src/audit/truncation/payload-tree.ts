import type { JsonObject, JsonValue } from '../../foundation/json.js';
import { jsonFrameBytes, jsonTextBytes } from './json-bytes.js';
import { formatJsonPath, type Step } from './json-path.js';

/**
 * One value of a payload while it is truncated. `bytes` is the size of its canonical JSON and
 * follows every change; `source` is what the payload held before the first one.
 */
export class PayloadNode {
  readonly kind: 'scalar' | 'text' | 'array' | 'object';
  readonly parent: PayloadNode | null;
  readonly step: Step;
  /** True where `step` is not the name that the payload held. */
  readonly renamed: boolean;
  readonly source: JsonValue;
  /** Its value where it has no children. */
  value: JsonValue;
  /** Members in the order of canonical JSON, or items. */
  children: PayloadNode[];
  bytes = 0;
  /** True where an ancestor no longer holds it. */
  removed = false;

  constructor(source: JsonValue, parent: PayloadNode | null, step: Step, renamed: boolean) {
    this.kind = kindOf(source);
    this.parent = parent;
    this.step = step;
    this.renamed = renamed;
    this.source = source;
    this.value = source;
    this.children = this.kind === 'array' || this.kind === 'object' ? [] : NO_CHILDREN;
  }
}

const NO_CHILDREN: PayloadNode[] = [];

function kindOf(value: JsonValue): PayloadNode['kind'] {
  if (typeof value === 'string') return 'text';
  if (typeof value !== 'object' || value === null) return 'scalar';
  return Array.isArray(value) ? 'array' : 'object';
}

/** Gives a member's name as it is stored, which differs from each name in `taken`. */
export type NameRule = (name: string, taken: ReadonlySet<string>) => string;

/** Names as canonical JSON sorts them: by UTF-16 units. */
export function sortedMembers(value: JsonObject): (readonly [string, JsonValue])[] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Builds the tree of a value. Recursive: a payload has at most 100 levels once it is storable. */
export function buildTree(source: JsonValue, nameRule: NameRule): PayloadNode {
  const root = new PayloadNode(source, null, '$', false);
  fill(root, nameRule);
  return root;
}

function fill(node: PayloadNode, nameRule: NameRule): void {
  const { kind, source } = node;
  if (kind === 'text') node.bytes = jsonTextBytes(source as string);
  else if (kind === 'scalar') node.bytes = JSON.stringify(source).length;
  else {
    if (kind === 'array') addItems(node, source as readonly JsonValue[], nameRule);
    else addMembers(node, source as JsonObject, nameRule);
    node.bytes = measureContainer(node);
  }
}

function addItems(node: PayloadNode, items: readonly JsonValue[], nameRule: NameRule): void {
  for (let at = 0; at < items.length; at += 1) {
    const child = new PayloadNode(items[at] ?? null, node, at, false);
    fill(child, nameRule);
    node.children.push(child);
  }
}

function addMembers(node: PayloadNode, members: JsonObject, nameRule: NameRule): void {
  const taken = new Set<string>();
  for (const [given, value] of sortedMembers(members)) {
    const name = nameRule(given, taken);
    taken.add(name);
    const child = new PayloadNode(value, node, name, name !== given);
    fill(child, nameRule);
    node.children.push(child);
  }
}

function measureContainer({ kind, children }: PayloadNode): number {
  let bytes = jsonFrameBytes(kind === 'array' ? kind : 'object', children.length);
  for (const { step, bytes: own } of children) bytes += own + (typeof step === 'string' ? jsonTextBytes(step) : 0);
  return bytes;
}

/** The JSON of the tree. */
export function toJson(node: PayloadNode): JsonValue {
  if (node.kind === 'array' && node.children.length > 0) return node.children.map(toJson);
  if (node.kind === 'object' && node.children.length > 0)
    return Object.fromEntries(node.children.map((child) => [String(child.step), toJson(child)]));
  return node.value;
}

/** The node's path: `$.user.name`. */
export function pathOf(node: PayloadNode): string {
  const steps: Step[] = [];
  for (let at = node; at.parent !== null; at = at.parent) steps.push(at.step);
  return formatJsonPath(steps.reverse());
}

function grow(node: PayloadNode | null, delta: number): void {
  for (let at = node; at !== null; at = at.parent) at.bytes += delta;
}

function markRemoved(node: PayloadNode): void {
  node.removed = true;
  for (const child of node.children) markRemoved(child);
}

/** Puts a value without children in a node's place; what was below is gone. */
export function replaceValue(node: PayloadNode, value: JsonValue, bytes: number): void {
  for (const child of node.children) markRemoved(child);
  node.children = NO_CHILDREN;
  node.value = value;
  grow(node, bytes - node.bytes);
}

/** Removes members of an object. */
export function removeMembers(node: PayloadNode, isRemoved: (child: PayloadNode) => boolean): void {
  const removed = node.children.filter(isRemoved);
  if (removed.length === 0) return;
  for (const child of removed) markRemoved(child);
  node.children = node.children.filter((child) => !child.removed);
  if (node.children.length === 0) node.value = {};
  grow(node, measureContainer(node) - node.bytes);
}

/** Every node below `root`, parents first, without those that `isSkipped` and what is below them. */
export function collectNodes(root: PayloadNode, isSkipped: (node: PayloadNode) => boolean): PayloadNode[] {
  const nodes: PayloadNode[] = [];
  const visit = (node: PayloadNode): void => {
    if (isSkipped(node)) return;
    nodes.push(node);
    for (const child of node.children) visit(child);
  };
  for (const child of root.children) visit(child);
  return nodes;
}
