import { describe, expect, it } from 'vitest';
import { BASE64, HEX, madeUp, redactLine } from '../../testing/redact-line.js';

describe('cloud credentials', () => {
  it('RED-2: Azure secrets and keys, signed URLs, webhooks and Terraform tokens are found', () => {
    expect(redactLine(`id abC8Q~${madeUp(34)}`).rules).toEqual(['azure-secret:high']);
    expect(redactLine(`"AccountName=x;AccountKey=${madeUp(86, BASE64)}==;EndpointSuffix=y"`).text).toMatch(
      /AccountKey=\[REDACTED:[a-z-]+:1\];EndpointSuffix=y"$/,
    );
    expect(redactLine(`https://x.example/c?sv=1&sig=${madeUp(43)}%3D`).text).toMatch(
      /^https:\/\/x.example\/c\?sv=1&sig=\[REDACTED:[a-z-]+:1\]$/,
    );
    expect(redactLine(`https://hooks.slack.com/services/T${madeUp(8)}/B${madeUp(8)}/${madeUp(24)}`).text).toBe(
      'https://hooks.slack.com/services/[REDACTED:webhook-url:1]',
    );
    expect(redactLine(`${madeUp(14)}.atlasv1.${madeUp(64)}`).rules).toContain('terraform-token:high');
  });

  it('RED-2: addresses that chat servers and automations listen on', () => {
    const digits = madeUp(32, '0123456789abcdef');
    const id = [
      digits.slice(0, 8),
      digits.slice(8, 12),
      digits.slice(12, 16),
      digits.slice(16, 20),
      `${digits.slice(20)}`,
    ].join('-');
    for (const host of ['open.feishu.cn/open-apis/bot/v2/hook/', 'qyapi.weixin.qq.com/cgi-bin/webhook/send?key='])
      expect(redactLine(`post("https://${host}${id}")`, 'a.py').text).not.toContain(id.slice(9));
    expect(redactLine(`https://a.tines.com/webhook/${digits}/${digits}`, 'a.md').text).not.toContain(digits);
  });

  it('RED-8: documented webhooks and plain queries stay', () => {
    for (const text of [
      'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
      'https://x.example/?sig=false',
      `https://x.example/commit/${madeUp(40, HEX)}`,
    ])
      expect(redactLine(text).text).toBe(text);
  });
});
