import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeMerkleRoot, hashLeaf } from './merkle-tree.js';

/** The definition of RFC 6962, 2.1, by its words: split at the largest power of two below the count. */
function merkleTreeHash(leaves: readonly Uint8Array[]): Buffer {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return Buffer.from(only);
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  const halves = [merkleTreeHash(leaves.slice(0, split)), merkleTreeHash(leaves.slice(split))];
  return createHash('sha256')
    .update(Buffer.concat([Buffer.of(1), ...halves]))
    .digest();
}

describe('Merkle tree', () => {
  it('AUD-1: gives the roots that Certificate Transparency publishes as test vectors', () => {
    const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const leaves = inputs.map((hex) => hashLeaf(Buffer.from(hex, 'hex')));
    const rootOf = (count: number): string => computeMerkleRoot(leaves.slice(0, count)).toString('hex');
    expect(rootOf(1)).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
    expect(rootOf(2)).toBe('fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125');
    expect(rootOf(3)).toBe('aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77');
    expect(rootOf(8)).toBe('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328');
  });

  it('AUD-1: is the tree of RFC 6962 for any number of leaves', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 40 }), (data) => {
        const leaves = data.map(hashLeaf);
        expect(computeMerkleRoot(leaves)).toEqual(merkleTreeHash(leaves));
      }),
    );
  });

  it('AUD-1: has no root without a leaf', () => {
    expect(() => computeMerkleRoot([])).toThrow(RangeError);
  });
});
