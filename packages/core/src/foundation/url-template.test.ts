import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUrlTemplate } from './url-template.js';

const make = (template: string) =>
  createUrlTemplate('changeUrl', template, { names: ['change', 'server'], required: 'change' });

describe('createUrlTemplate', () => {
  it('fills in every name, as often as it stands there', () => {
    const link = make('https://swarm.example.test/{server}/changes/{change}?at={change}#c{change}');
    expect(link({ change: 7, server: 'main' })).toBe('https://swarm.example.test/main/changes/7?at=7#c7');
  });

  it.each([
    'javascript:alert({change})',
    'data:text/html,{change}',
    'ftp://swarm.example.test/{change}',
    '//swarm.example.test/{change}',
    'swarm.example.test/{change}',
    'https://swarm.example.test/changes/',
    'https://swarm.example.test/{server}',
    'https://swarm.example.test/{change}/{user}',
    'https://swarm.example.test/{change}/{}',
    'https://swarm.example.test/{change}/{',
    'https://swarm.example.test/{change}/}',
    'https://{change}.example.test/',
    'https://swarm.example.test:{change}/',
    'https://user@swarm.example.test/{change}',
    'https://swarm.example.test\\@evil.test/{change}',
    'https://swarm.example.test/a\\{change}',
    'https://swarm.example.test/ {change}',
    'https://swarm.example.test/\n{change}',
    'https:///{change}',
    `https://swarm.example.test/{change}/${'x'.repeat(1_000)}`,
    '',
  ])('refuses %j', (template) => {
    expect(() => make(template)).toThrow(/^changeUrl: expected /);
  });

  it('lets no value leave its place', () => {
    const link = make('https://swarm.example.test/s/{server}/changes/{change}');
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((text) => !/^\.{1,2}$/.test(text)),
        (server) => {
          const url = new URL(link({ server, change: 7 }));
          expect(url.origin).toBe('https://swarm.example.test');
          expect(url.pathname.split('/')).toEqual(['', 's', encodeURIComponent(server), 'changes', '7']);
          expect([url.search, url.hash]).toEqual(['', '']);
        },
      ),
    );
  });
});
