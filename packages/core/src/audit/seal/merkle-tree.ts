import { createHash } from 'node:crypto';

/** Domain separation of RFC 6962: no leaf can pass for a node. */
const LEAF = Uint8Array.of(0x00);
const NODE = Uint8Array.of(0x01);

/** Hash of one leaf: SHA-256 over 0x00 and its bytes (RFC 6962, 2.1). */
export function hashLeaf(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(LEAF).update(data).digest();
}

function hashNode(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/**
 * Merkle tree hash of RFC 6962 over leaf hashes, in their order. Throws `RangeError` for none: an
 * empty batch has no root. Holds one hash for each level.
 */
export function computeMerkleRoot(leafHashes: Iterable<Uint8Array>): Buffer {
  // Complete subtrees from the left, the largest first; two of one size make one of the next.
  const subtrees: { height: number; hash: Uint8Array }[] = [];
  for (const leaf of leafHashes) {
    let joined: { height: number; hash: Uint8Array } = { height: 0, hash: leaf };
    for (let last = subtrees.at(-1); last?.height === joined.height; last = subtrees.at(-1)) {
      subtrees.pop();
      joined = { height: joined.height + 1, hash: hashNode(last.hash, joined.hash) };
    }
    subtrees.push(joined);
  }
  const rightmost = subtrees.pop();
  if (rightmost === undefined) throw new RangeError('computeMerkleRoot: expected at least one leaf');
  let root = rightmost.hash;
  for (const { hash } of subtrees.reverse()) root = hashNode(hash, root);
  return Buffer.from(root);
}
