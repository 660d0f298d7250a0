// The service posts reviews to a stand-in of Slack over loopback, and the doctor asks it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSlackServer } from '@criticizer/notify/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommand as run } from './run-command.js';
import {
  closeLater,
  closeServices,
  dropMail,
  grantFindings,
  openEndpoints,
  openQueue,
  startService,
  submit,
  waiting,
} from './running-service.js';

afterEach(closeServices);

describe('the service and Slack', { timeout: 60_000 }, () => {
  it('CHN-1: a review is one message with its findings where that is granted, and the doctor says what is missing', async () => {
    const endpoints = await openEndpoints();
    const { env, place } = endpoints;
    const slack = await startSlackServer({ token: 'a-token-of-this-test' });
    closeLater(() => slack.close());
    const tokenFile = join(place.directory, 'secrets', 'SLACK');
    writeFileSync(tokenFile, 'a-token-of-this-test\n', { mode: 0o600 });
    grantFindings(endpoints, 'chat:slack');
    dropMail(endpoints);
    Object.assign(env, { DELIVERY: 'live', SLACK_TOKEN_FILE: tokenFile });
    Object.assign(env, { SLACK_CONVERSATIONS: 'C0123456789', SLACK_API_URL: slack.apiUrl });

    const service = await startService(env);
    await service.ready();
    await submit(endpoints, service, 300);
    await vi.waitFor(() => expect(slack.messages).toHaveLength(1), waiting);
    expect(slack.messages[0]?.text).toMatch(/^Code review: Change 300: /);
    expect(JSON.stringify(slack.messages[0]?.blocks)).toContain('The total is a constant');
    const queue = openQueue(endpoints);
    const rows = async () =>
      (await queue.outbox.list({})).map((row) => [row.recipient, row.status, row.notificationId]);
    const sent = ['slack:C0123456789', 'sent', slack.messages[0]?.ts];
    await vi.waitFor(async () => expect(await rows()).toEqual([sent]), waiting);
    await service.stop();

    slack.scopes.delete('channels:history');
    const ill = await run(env, 'doctor');
    expect(ill.text).toMatch(
      /^ {2}slack +CHANNEL_LOOKUP_UNAVAILABLE .*missing_scope\. The app needs channels:history/m,
    );
    expect(ill.code).toBe(1);
    expect(ill.text).not.toContain('a-token-of-this-test');
    expect(slack.messages).toHaveLength(1);
  });
});
