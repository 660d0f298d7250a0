import type { HttpClient } from '@criticizer/core/http';
import type { OutboundGate } from '@criticizer/core/ports';
import { describe, expect, it } from 'vitest';
import { createSwarmServer } from './swarm-server.js';

const none = async () => Promise.reject(new TypeError('nothing is asked'));
const outbound: OutboundGate = { check: none, pass: none, highestContent: () => 'counts' };

function connect(origin: string, isPrivateOriginAllowed?: HttpClient['isPrivateOriginAllowed']) {
  const http: HttpClient = {
    exchange: none,
    close: async () => {},
    ...(isPrivateOriginAllowed && { isPrivateOriginAllowed }),
  };
  return createSwarmServer({ origin, http, outbound, securityEvents: { emit: () => {} } });
}

describe('the address of P4 Code Review', () => {
  it('SEC-3: plain http is taken to an origin that the HTTP client lists, and to no other', () => {
    const lists = (origin: string): boolean => origin === 'http://swarm.internal:8080';
    expect(() => connect('http://swarm.internal:8080', lists)).not.toThrow();
    expect(() => connect('https://swarm.example.com')).not.toThrow();
    for (const origin of ['http://swarm.internal', 'http://swarm.example.com', 'http://localhost'])
      expect(() => connect(origin, lists)).toThrow(/http only for an origin in allowPrivateOrigins/);
    expect(() => connect('http://swarm.internal:8080')).toThrow(/http only for an origin/);
    for (const origin of ['ftp://swarm.internal', 'https://swarm.example.com/path', 'swarm', ''])
      expect(() => connect(origin, lists)).toThrow(TypeError);
  });
});
