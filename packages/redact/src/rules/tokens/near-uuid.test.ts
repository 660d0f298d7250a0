import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept } from '../../testing/redact-line.js';

/** A UUID of the fourth version. */
const uuid = (seed: number): string => {
  const digits = madeUp(32, HEX, seed);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join('-');
};

describe('UUIDs beside a vendor', () => {
  it('RED-2: a vendor that gives them out as keys', () => {
    const places = [
      ['a.txt', (v: string) => `cloudmersive ${v}`],
      ['a.js', (v: string) => `const client = require("cloudmersive")("${v}");`],
      ['a.go', (v: string) => `c := moosend.New("${v}")`],
      ['a.yml', (v: string) => `holidayapi: ${v}`],
      ['a.md', (v: string) => `The canny key is ${v}`],
      ['a.md', (v: string) => `Set the Splunk HEC token to \`${v}\`.`],
    ] as const;
    expect(notHidden(places, uuid(3))).toEqual([]);
    expect(notHidden(places, uuid(3).toUpperCase())).toEqual([]);
  });

  it("RED-2: the secret half of a machine's login to a vault, beside the other half", () => {
    const role = uuid(8);
    const places = [
      ['agent.yml', (v: string) => `role_id: ${role}\nsecret_id: ${v}`],
      ['a.json', (v: string) => `{"role_id":"${role}","secret_id":"${v}"}`],
      ['run.sh', (v: string) => `vault write auth/approle/login role_id=${role} secret_id=${v}`],
    ] as const;
    expect(notHidden(places, uuid(3))).toEqual([]);
    expect(notKept([['a.yml', `secret_id: ${uuid(3)}\nname: database`]])).toEqual([]);
  });

  it("RED-2: tokens of Consul's access lists, in their section", () => {
    const write = (v: string): string => `acl {\n  tokens {\n    agent = "${v}"\n    default = "${v}"\n  }\n}`;
    expect(notHidden([['consul.hcl', write]], uuid(3))).toEqual([]);
    expect(notHidden([['consul.json', (v) => `{"acl": {"tokens": {"agent": "${v}"}}}`]], uuid(3))).toEqual([]);
  });

  it('RED-8: names of things stay', () => {
    expect(
      notKept([
        ['a.yml', `order: ${uuid(3)}`],
        ['a.ts', `getDashboard("${uuid(4)}")`],
        ['a.yml', `cloudmersive_id: ${uuid(5)}`],
        ['a.json', `{"cloudmersive": {"id": "${uuid(6)}"}}`],
        ['a.log', `GET /cloudmersive/${uuid(7)}`],
      ]),
    ).toEqual([]);
  });
});
