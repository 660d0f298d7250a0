// A process that pages for what the document `wrong` of its database lists, until it is killed.
// Arguments: the database, its schema, the URL of its pager and the secret of that.
import { Secret, type Stores } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { createWebhookPager } from '@criticizer/core/pager';
import { createMemoryReviewer, openSharedStores } from './traced-reviewer.js';

async function page<Tx>(stores: Stores<Tx>, url: string, secret: string): Promise<void> {
  const version = { secret: new Secret(secret), version: '1' };
  const source = { contract: 1 as const, read: async () => ({ current: version }) };
  const criticizer = createMemoryReviewer(stores, {
    pagers: [
      createWebhookPager({
        id: 'desk',
        url,
        http: createHttpClient({ allowPrivateOrigins: [new URL(url).origin] }),
        secret: { source, name: 'S' },
      }),
    ],
    alertSources: [
      {
        name: 'wrong',
        async read() {
          const { value } = await stores.documents.read('wrong');
          return ((value ?? []) as string[]).map((code) => ({ kind: 'test.wrong', code, severity: 'error' as const }));
        },
      },
    ],
    settings: { alerts: { everyMs: 1_000, sendTimeoutMs: 60_000 } },
  });
  await criticizer.start();
  process.stdout.write('open\n');
}

const [database = '', schema = '', url = '', secret = ''] = process.argv.slice(2);
await page(openSharedStores(database, schema) as Stores<unknown>, url, secret);
