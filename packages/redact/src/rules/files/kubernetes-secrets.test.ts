import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const manifest = (kind: string, value: string): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: web\ndata:\n  extra: ${value}\n---\nkind: ConfigMap\ndata:\n  mode: standalone\n`;

describe('Kubernetes secrets', () => {
  it('RED-3: every value of a Secret, whatever its key', () => {
    expect(
      notHidden([['a.yaml', (v) => manifest('Secret', v)]], Buffer.from('hunter and more').toString('base64')),
    ).toEqual([]);
    expect(
      notHidden([['a.yaml', (v) => `data:\n  extra: ${v}\nkind: Secret\nmetadata:\n  name: x\n`]], madeUp(16)),
    ).toEqual([]);
  });

  it('RED-8: nothing of another manifest', () => {
    expect(notKept([['a.yaml', manifest('ConfigMap', 'c3RhbmRhbG9uZQ==')]])).toEqual([]);
  });
});
