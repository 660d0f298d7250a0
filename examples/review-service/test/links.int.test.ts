import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommand as run } from './run-command.js';
import { closeServices, openEndpoints, startService, submit, waiting } from './running-service.js';

afterEach(closeServices);

describe('links of mails', { timeout: 60_000 }, () => {
  it('GRD-8: a reader hides a finding by the link of a mail, and an operator takes it back', async () => {
    const endpoints = await openEndpoints();
    const { env, mails } = endpoints;
    const secrets = env['SECRETS_DIR'] ?? '';
    writeFileSync(join(secrets, 'LINKS_SECRET'), randomBytes(32).toString('base64'), { mode: 0o600 });
    const linked = { ...env, DELIVERY: 'live', LINKS_URL: 'https://reviews.example.test/links' };
    const service = await startService(linked);
    await service.ready();
    await submit(endpoints, service, 11);
    await vi.waitFor(() => expect(mails).toHaveLength(1), waiting);
    const [, query] = /Hide it: https:\/\/reviews\.example\.test\/links(\?t=\S+)/.exec(mails[0]?.text ?? '') ?? [];
    const link = `${service.origin}/links${query}`;

    const shown = await fetch(link);
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('The total is a constant')]);
    expect((await run(env, 'suppressions')).text).toBe('None.\n');
    const posted = await fetch(link, { method: 'POST', body: new URLSearchParams({ disposition: 'wont_fix' }) });
    expect([posted.status, await posted.text()]).toEqual([200, expect.stringContaining('The finding is hidden')]);
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${service.origin}/links?t=x`)).status).toBe(404);
    const statuses = await Promise.all(
      [
        [link, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
        [link, { method: 'POST', body: `pad=${'x'.repeat(3_000)}` }],
        [link, { method: 'PUT', body: 'x' }],
        [`${service.origin}/links?t=x`, { method: 'POST', body: 'x=1' }],
      ].map(async ([url, init]) => (await fetch(url as string, init as RequestInit)).status),
    );
    expect(statuses).toEqual([400, 400, 405, 404]);
    expect(service.lines.filter((line) => line.startsWith('error'))).toEqual([]);
    // A body that never comes keeps nobody waiting: a link that is none is answered before it.
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    const [first] = await new Promise<[Buffer]>((resolve) => {
      socket.once('data', (data) => resolve([data]));
      socket.write('POST /links?t=x HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\nx');
    });
    expect(first.toString()).toMatch(/^HTTP\/1\.1 404 /);
    socket.destroy();

    const listed = await run(env, 'suppressions');
    expect(listed.text).toMatch(
      /^\S+ {2}\S+ {2}main\/11 \S+ {2}wont_fix {2}until withdrawn {2}link:[0-9a-f]{32}: By the link/,
    );
    const [id = ''] = listed.text.split(' ');
    const withdrawn = await run(env, 'unsuppress', id, '--reason', 'It is a problem.');
    expect(withdrawn).toMatchObject({ code: 0, text: expect.stringContaining('hides nothing any more') });
    expect((await run(env, 'unsuppress', id, '--reason', 'Once more.')).code).toBe(3);
    expect((await run(env, 'suppressions')).text).toBe('None.\n');

    const [, stop] =
      /Stop these mails: https:\/\/reviews\.example\.test\/links(\?t=\S+)/.exec(mails[0]?.text ?? '') ?? [];
    const stopping = `${service.origin}/links${stop}`;
    expect(await (await fetch(stopping)).text()).toContain('Stop these mails?');
    expect((await run(env, 'mail-preferences')).text).toBe('None.\n');
    const oneClick = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect(await (await fetch(stopping, { method: 'POST', body: oneClick })).text()).toContain(
      'no more of these mails',
    );
    expect((await run(env, 'mail-preferences')).text).toMatch(/^\S+@\S+ {2}off {2}- {2}\S+ {2}link:[0-9a-f]{32}/);
    await service.stop();
  });

  it('GRD-8: operators hide one finding or what fits a rule, by commands that say what is wrong', async () => {
    const { env } = await openEndpoints();
    expect((await run(env, 'migrate')).code).toBe(0);
    const why = ['--reason', 'Looked at by hand.'];
    const one = await run(env, 'suppress', 'main/11', 'f-1', '--as', 'acknowledged', '--days', '7', ...why);
    expect(one).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^Finding f-1 of main\/11 is hidden .* until 20/),
    });
    expect((await run(env, 'suppress', 'main/11', 'f-1', ...why)).text).toContain('was hidden before');
    const rule = await run(env, 'suppress-rule', '--rule', 'naming', '--severity', 'low', '--days', '30', ...why);
    expect(rule).toMatchObject({ code: 0, text: expect.stringContaining('in every change: rule=naming severity=low') });
    for (const [words, says] of [
      [['suppress-rule', '--days', '30', ...why], 'expected one of ruleId'],
      [['suppress-rule', '--rule', 'a', '--days', '400', ...why], 'expected milliseconds from 1 to'],
      [['suppress-rule', '--severity', 'huge', '--days', '3', ...why], 'severity: expected'],
      [['suppress', 'main/11', 'f-1', '--as', 'wrong', ...why], '--as: expected one of'],
      [['unsuppress', 'none', ...why], 'There is no suppression none'],
    ] as const)
      expect(await run(env, ...words)).toMatchObject({ text: expect.stringContaining(says) });
    const high = await run(env, 'mail-preference', 'ada@studio.example', 'high', '--link-only', ...why);
    const gets = 'gets from now on: reviews with a high or critical finding, counts and the link alone';
    expect(high).toMatchObject({ code: 0, text: `ada@studio.example ${gets} (audit: recorded)\n` });
    expect((await run(env, 'mail-preference', 'nobody', 'off', ...why)).code).toBe(1);
    expect((await run(env, 'mail-preference', 'ada@studio.example', 'some', ...why)).code).toBe(2);
    const { text } = await run(env, 'suppressions', '--json');
    expect(JSON.parse(text).map(({ scope }: { scope: { kind: string } }) => scope.kind)).toEqual(['rule', 'finding']);
  });
});
