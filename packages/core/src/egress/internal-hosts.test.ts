import { describe, expect, it } from 'vitest';
import { createInternalHosts } from './internal-hosts.js';

describe('createInternalHosts', () => {
  it('EGR-2: knows private addresses, inner names and the configured hosts, and takes any other name for public', () => {
    const isInternal = createInternalHosts(['llm.studio.example', '.corp.example']);
    const inside = ['127.0.0.1:11434', '[::1]:8080', '10.1.2.3', '[fd00::1]', 'gateway', 'localhost:80', 'a.local'];
    for (const host of [...inside, 'LLM.studio.example:443', 'x.corp.example', 'a.b.corp.example.'])
      expect(isInternal(host), host).toBe(true);
    for (const host of [
      'api.vendor.example',
      '8.8.8.8',
      'studio.example',
      'corp.example',
      'xcorp.example',
      '[2606:4700::1]',
    ])
      expect(isInternal(host), host).toBe(false);
    expect(isInternal('169.254.169.254')).toBe(false);
  });
});
