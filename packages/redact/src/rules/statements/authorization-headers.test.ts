import { describe, expect, it } from 'vitest';
import { HEX, madeUp, redactLine } from '../../testing/redact-line.js';

const MARK = '[REDACTED:authorization:1]';

describe('authorization headers', () => {
  it('RED-2: the credential goes, the header and the scheme stay', () => {
    const token = madeUp(30);
    const basic = Buffer.from(`svc:${madeUp(9)}`).toString('base64');
    expect(redactLine(`Authorization: Bearer ${token}`).text).toBe(`Authorization: Bearer ${MARK}`);
    expect(redactLine(`send("Bearer ${token}")`).text).toBe(`send("Bearer ${MARK}")`);
    expect(redactLine(`curl -H "authorization: Basic ${basic}"`).text).toBe(`curl -H "authorization: Basic ${MARK}"`);
    expect(redactLine(`-H "Authorization: Basic ${madeUp(32, HEX)}"`).text).toBe(`-H "Authorization: Basic ${MARK}"`);
    expect(redactLine(`{"Authorization": "token ${token}"}`).text).toBe(`{"Authorization": "token ${MARK}"}`);
    expect(redactLine(`Proxy-Authorization: ${token}`).text).toBe(`Proxy-Authorization: ${MARK}`);
    expect(redactLine(`Digest username="a", response="${madeUp(32, HEX)}"`).text).toContain(`response="${MARK}"`);
  });

  it('RED-5: SMTP AUTH lines are hidden', () => {
    expect(redactLine(`AUTH PLAIN ${Buffer.from(`\0svc\0${madeUp(9)}`).toString('base64')}`).text).toBe(
      `AUTH PLAIN ${MARK}`,
    );
  });

  it('RED-8: formats, names and prose stay', () => {
    for (const text of [
      '"Bearer %s"',
      'type CompanyAuthorization = Stripe_.AccountParams.Documents.CompanyAuthorization;',
      '"AWS::AppFabric::AppAuthorization": "aws-cdk-lib/aws-appfabric.CfnAppAuthorization",',
      'binaryauthorization: binaryauthorization_1.VERSIONS,',
      'exports.CfnAuthorization=exports.CfnEndpointAccess=exports.CfnClusterSubnetGroup',
      `\`Bearer \${token}\``,
      'Authorization: "Bearer " + accessToken',
      'Bearer authentication is supported',
      'Basic authentication',
      'authorization: enabled',
      'Authorization: Bearer <token>',
      '{% set aaa_authorization = os9_aaa.aaa_authorization %}',
      'autoload :PreAuthorization, "doorkeeper/oauth/pre_authorization"',
    ]) {
      expect(redactLine(text).text).toBe(text);
    }
  });

  it('RED-2: the scheme of an API token', () => {
    expect(redactLine(`Authorization: Api-Token ${madeUp(40)}`).text).toBe(
      'Authorization: Api-Token [REDACTED:authorization:1]',
    );
    expect(redactLine(`Authorization: AcmeStudio ${madeUp(40)}`).text).toBe(
      'Authorization: AcmeStudio [REDACTED:authorization:1]',
    );
    expect(redactLine('Authorization: AcmeStudio tokens').text).toBe('Authorization: AcmeStudio tokens');
  });

  it('RED-2: a scheme and its credentials in literals of their own; the answer to a server that asks for a password', () => {
    const pair = Buffer.from(`ann:${madeUp(12)}`).toString('base64');
    expect(redactLine(`h.Add("Authorization", "Basic " + "${pair}");`, 'a.cs').text).toBe(
      'h.Add("Authorization", "Basic " + "[REDACTED:authorization:1]");',
    );
    const write = (answer: string): string => `S: 334 UGFzc3dvcmQ6\nC: ${answer}\nS: 235 ok`;
    expect(redactLine(write(pair), 'smtp.log').text).toBe(write('[REDACTED:authorization:1]'));
  });
});
